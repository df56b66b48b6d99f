" Graphs of Weir as text (.weir). A name may be one of these words, so each is one in its place only. Names of operators,
" attributes and fields are known by their places.
if exists('b:current_syntax')
  finish
endif
let s:cpo = &cpo
set cpo&vim

let s:header = split('weir graph from for at patchable every batch by classes onnxruntime model')
let s:statement = split('input constant output')
let s:metadata = split('at common software hardware facts')
let s:type = split('float32 float64 int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool float16 bfloat16 int4 uint4 int2 uint2 float4e2m1 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float8e8m0')
let s:format = split('float integer fixed binary ternary minifloat log block mx')
let s:setting = split('floor truncate half-up half-even half-down half-away ceil away half-to-zero saturate symmetric '
      \ . 'auto block logic none head tail')

function! s:words(list) abort
  return '\%(' . join(a:list, '\|') . '\)'
endfunction

" Letters of a name, in which a colon is followed by one of them.
let s:name = '\%([A-Za-z0-9_./-]\|:[A-Za-z0-9_./-]\@=\)\+'
let s:string = '"\%(\\.\|[^"\\]\)*"'
syntax iskeyword @,48-57,_,.,/,-

syntax match weirNumber /\<-\?\d[0-9.e+-]*\>/
syntax match weirSpecial /[@?]\|\<_\>/
execute 'syntax match weirType /\<' . s:words(s:type) . '\ze\[/'
execute 'syntax match weirFormat /\<' . s:words(s:format) . '\ze\s\+[su]\d\|\<float\ze\s\+[-0-9[]/'
syntax match weirFormat /\<[su]\d\+\>/
syntax match weirField /\<\h[A-Za-z0-9_.-]*\ze\s*=/
execute 'syntax match weirSetting /=\@1<=' . s:words(s:setting) . '\>/'
execute 'syntax match weirOperator /=\s*\zs' . s:name . '\ze(/'
execute 'syntax match weirMetadata /\<' . s:words(s:metadata) . '\ze\%({\|\s\+["{]\)/'
execute 'syntax match weirValue /%\%(' . s:string . '\|' . s:name . '\)/'
execute 'syntax match weirStatement /^\s*' . s:words(s:statement) . '\ze\s/'
execute 'syntax match weirNode /^\s*' . s:name . '\ze:\s/'
syntax region weirString start=/"/ skip=/\\./ end=/"/ oneline contains=weirEscape
syntax match weirEscape /\\\%(u00\x\x\|.\)/ contained
execute 'syntax match weirNode /^\s*' . s:string . '\ze:\s/'
execute 'syntax match weirHeaderWord /\<' . s:words(s:header) . '\>/ contained'
execute 'syntax match weirHeader /^\%(weir\|graph\)\s\%(' . s:string . '\|[^"#]\)*/ contains=weirHeaderWord,weirString,weirNumber'
syntax match weirComment /#.*$/ contains=@Spell

highlight default link weirNumber Number
highlight default link weirSpecial Special
highlight default link weirType Type
highlight default link weirFormat StorageClass
highlight default link weirField Identifier
highlight default link weirSetting Constant
highlight default link weirOperator Function
highlight default link weirMetadata Keyword
highlight default link weirValue Identifier
highlight default link weirStatement Statement
highlight default link weirNode Label
highlight default link weirString String
highlight default link weirEscape SpecialChar
highlight default link weirHeaderWord PreProc
highlight default link weirComment Comment
let b:current_syntax = 'weir'
let &cpo = s:cpo
unlet s:cpo
