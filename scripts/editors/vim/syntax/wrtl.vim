" Hardware designs of Weir as text (.wrtl). A name may be one of these words, so each is one in its place only.
if exists('b:current_syntax')
  finish
endif
let s:cpo = &cpo
set cpo&vim

" The first word of a line.
let s:first = split('wrtl origin from struct union enum interface comment attribute module parameter local input output '
      \ . 'inout wire register variable iterator path group function modport no instances body remark connect open instance '
      \ . 'assign set next let always combinational latch initial final if case item default for break return immediate '
      \ . 'property fsm state goto')
" Behind it.
let s:inner = split('nowhere external stub wired signed memory register local interface from to step flipped no input output '
      \ . 'value if else posedge negedge reset low mealy current start when after then disable call assert assume cover')
" Behind '$': what a signal is, and casts.
let s:dollar = split('data clock reset async_reset clock_enable signed unsigned range path opaque')
let s:call = split('clog2')

function! s:words(list) abort
  return '\%(' . join(a:list, '\|') . '\)'
endfunction

syntax iskeyword @,48-57,_,$

syntax match wrtlNumber /\<\d[0-9_]*\>\|\s\@1<=-\d[0-9_]*\>/
syntax match wrtlNumber /\<\d*'s\?[bodhBODH][0-9a-fA-FxXzZ_]\+\>\|'z\>/
syntax match wrtlName /\%(^\s*\%(\h\w*\s\+\)\?\|[(,]\s*\%(local\s\+\)\?\)\@99<=\<\h\w*\ze\s*::\@!/
syntax match wrtlMember /\%(::\)\@2<=\h\w*/
execute 'syntax match wrtlInner /[-{[.~!&|^+*%<>=?:]\@1<!\<' . s:words(s:inner) . '\>\%(\s*[]=:.,)}&|^+*%<>?]\|\s*-\s\|\[\)\@!/'
syntax match wrtlInner /\<memory\ze\[/
execute 'syntax match wrtlFirst /^\s*\zs' . s:words(s:first) . '\>\%(\s*[:=.[]\)\@!/'
syntax match wrtlInner /}\s*\zselse\>/
execute 'syntax match wrtlKind /\$' . s:words(s:dollar) . '\>/'
execute 'syntax match wrtlCall /\<' . s:words(s:call) . '\ze(/'
syntax match wrtlModule /\%(^\s*\%(module\|struct\|union\|enum\|interface\|function\|fsm\|state\|instance\)\s\+\)\@40<=\h[A-Za-z0-9_.]*/
syntax match wrtlLine /@\d\+\>/
syntax region wrtlString start=/"/ skip=/\\./ end=/"/ oneline contains=wrtlEscape
syntax match wrtlEscape /\\\%(u00\x\x\|.\)/ contained
syntax match wrtlComment /\w\@1<!#.*$/ contains=@Spell

highlight default link wrtlNumber Number
highlight default link wrtlName Identifier
highlight default link wrtlMember Constant
highlight default link wrtlInner Keyword
highlight default link wrtlFirst Statement
highlight default link wrtlKind Type
highlight default link wrtlCall Function
highlight default link wrtlModule Structure
highlight default link wrtlLine Special
highlight default link wrtlString String
highlight default link wrtlEscape SpecialChar
highlight default link wrtlComment Comment
let b:current_syntax = 'wrtl'
let &cpo = s:cpo
unlet s:cpo
