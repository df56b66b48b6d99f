#!/bin/sh
# Syntax files of editors have the words that the parsers read, all of them and no other; the patterns of VS Code's are right as Perl's;
# Vim loads its files without an error and knows what stands where.
# test: seconds=120
# test: name=editors_vim seconds=120 -- vim
where=${1:-words}
name=editors_$where
. "$(dirname "$0")/lib.sh"
need_tools jq
[ "$where" = words ] || need_tools vim
editors=$E2E_SOURCE/scripts/editors
text=$E2E_SOURCE/toolchain/rtlir/text graph=$E2E_SOURCE/toolchain/ir/graph

# --- samples ---
cat >sample.weir <<'END_OF_SAMPLE'
weir 1
graph "for \"x\" # no" from "a.onnx" for "ice40up5k" at 48 patchable every 128 batch "N" by onnxruntime classes "cat" "from" # comment
# a comment
input %x : float32[1,4] layout=NHWC
input: %input = Relu(%x, _) {alpha = float 0.5, axes = [1,-2], s = "a # b"} at "a.onnx":3 common{type=module op=relu group=2} software{count=1 min=0.0 max=1e-05} hardware{module=_ storage=block}
    : ?, int8[1,4] fixed s8 frac=4 round=half-even saturation=symmetric axis=1 scale=@ zero=@ range=[-7,7] # why
"a node": %"v w" = com.microsoft.QLinearAdd(%input) facts {"common": {"a": 1}}
    : uint4[]
/layer/Conv:0: %/layer/Conv_out:0 = Conv(%x)
output y = %/layer/Conv_out:0
END_OF_SAMPLE
cp "$E2E_SOURCE/tests/unit/data/rtlir/everything.wrtl" sample.wrtl
cat >>sample.wrtl <<'END_OF_SAMPLE'
# words as names: none of them is one here
module names {
  input reset : 1
  input low : 4
  output to : 4
  variable value : 4
  body {
    assign to = (reset ? value : {low[3:1], 1'h0}) # why
    set value = (low - to)
  }
}
END_OF_SAMPLE

if [ "$where" = words ]; then
    # --- what the parsers read: words in calls, and tables of words ---
    called() { grep -ohE '(accept|expect)_word\([^,]*, "[^"]+"' "$@" | sed 's/.*"\(.*\)"/\1/; s/^\$//'; }
    # table FILE NAME: the strings of a C array.
    table() { awk -v name="$2" 'index($0, " " name "[") && /=|\[.*\] = \{|\{/ { inside = 1 } inside { print } inside && /;/ { exit }' "$1" | grep -oE '"[^"]*"' | tr -d '"' | grep .; }
    # parsed FOLDER_OF_GRAPHS: words of graphs.
    parsed_graph() {
        { called "$1/parse.c"; table "$graph/contract.c" contracts; for names in format_names rounding_names saturation_names; do table "$graph/types.c" $names; done
          for names in storage_names host_names; do table "$graph/metadata.c" $names; done
          awk '/^} dtypes\[/ { inside = 1 } inside { print } inside && /};/ { exit }' "$E2E_SOURCE/toolchain/support/memory/array.c" | grep -oE '"[^"]*"' | tr -d '"'; } | sort -u
    }
    parsed_design() {
        { called "$text"/text_*.c | grep -v '^1$'; grep -oE '"[a-z_]+"' "$text/words.c" | tr -d '"'
          awk '/\} words\[\] = \{/ { inside = 1 } inside { print } inside && /;/ { exit }' "$text/text_parse.c" | grep -oE '"[a-z_]+"' | tr -d '"'
          for file in body tree; do table "$text/text_$file.c" words; done; } | sort -u
    }
    # Words come from nowhere else: what is no string in these calls is one of the tables above.
    grep -ohE '(accept_word|expect_word|scan_choice)\((s|p|&first), [^")]*' "$graph/parse.c" "$text"/text_*.c | sed -E 's/^[a-z_]+\([^,]*, *//; s/[[, ].*//' | grep . | sort -u >sources
    printf '%s\n' word words rtl_assertion_words rtl_direction_words rtl_edge_words rtl_kind_words rtl_stmt_words rtl_timing_words | grep -vxFf - sources >others ||
        true
    [ ! -s others ] || fail "the parsers read words of tables that this test does not know: $(cat others)"

    # --- what the editors know ---
    vim_words() {
        awk '/^ +\\/ { sub(/^ +\\/, ""); line = line $0; next } { print line; line = $0 } END { print line }' "$1" |
            sed -n "s/^let s:[a-z]* = split(//p" | tr "'). " '\n\n\n\n' | grep . | sort -u
    }
    code_words() {
        jq -r '.. | objects | .match? // empty' "$1" | grep -oE '\(\?:[a-z0-9_-]+(\|[a-z0-9_-]+)*\)' | sed 's/^(?://; s/)$//' | tr '|' '\n' | sort -u
    }
    parsed_graph "$graph" >weir.words
    parsed_design >wrtl.words
    for language in weir wrtl; do
        [ "$(wc -l <$language.words)" -ge 50 ] || fail "$language: the parser reads $(wc -l <$language.words) words only"
        vim_words "$editors/vim/syntax/$language.vim" | diff $language.words - >log || fail "Vim, $language: < of the parser, > of the syntax: $(grep '^[<>]' log)"
        code_words "$editors/vscode/syntaxes/$language.tmLanguage.json" | diff $language.words - >log ||
            fail "VS Code, $language: < of the parser, > of the syntax: $(grep '^[<>]' log)"
    done
    sed 's/ patchable / /' "$editors/vim/syntax/weir.vim" >planted
    vim_words planted | diff weir.words - | grep -q '^< patchable$' || fail "a word that Vim lacks goes unseen"
    sed 's/|posedge|/|/' "$editors/vscode/syntaxes/wrtl.tmLanguage.json" >planted
    code_words planted | diff wrtl.words - | grep -q '^< posedge$' || fail "a word that VS Code lacks goes unseen"
    mkdir other && sed 's/accept_word(p, "at")/accept_word(p, "sideways")/' "$graph/parse.c" >other/parse.c
    parsed_graph other | diff weir.words - | grep -q '^> sideways$' || fail "a new word of a parser goes unseen"

    # --- VS Code: what package.json names is there; each pattern finds something, and some what they should ---
    package=$editors/vscode/package.json
    [ "$(jq -r .version "$package")" = "$("$WEIR" --version | sed -n '1s/^weir \([0-9.]*\).*/\1/p')" ] || fail "package.json has another version"
    for language in weir wrtl; do
        grammar=$editors/vscode/$(jq -r --arg l $language '.contributes.grammars[] | select(.language == $l) | .path' "$package")
        scope=$(jq -r --arg l $language '.contributes.grammars[] | select(.language == $l) | .scopeName' "$package")
        [ "$(jq -r .scopeName "$grammar")" = "$scope" ] || fail "$grammar is not of $scope"
        [ -s "$editors/vscode/$(jq -r --arg l $language '.contributes.languages[] | select(.id == $l) | .configuration' "$package")" ] || fail "$language: no configuration"
        jq -e '[.. | objects | .include? // empty | ltrimstr("#")] - (.repository | keys) == [] and
            ((.repository | keys) - [.. | objects | .include? // empty | ltrimstr("#")] == [])' "$grammar" >log || fail "$grammar includes what it has not"
        jq -r '.. | objects | (.match?, .begin?) // empty' "$grammar" >patterns
        while read -r pattern; do
            grep -qP -e "$pattern" sample.$language || fail "$language: nothing in the sample is $pattern"
        done <patterns
    done
    # found LANGUAGE RULE GROUP: what the group of a rule's pattern is in the sample.
    found() {
        jq -r --arg rule "$2" '.repository[$rule] | .. | objects | .match? // empty' "$editors/vscode/syntaxes/$1.tmLanguage.json" | while read -r pattern; do
            PATTERN=$pattern GROUP=$3 perl -ne 'while (/$ENV{PATTERN}/g) { print substr($_, $-[$ENV{GROUP}], $+[$ENV{GROUP}] - $-[$ENV{GROUP}]), "\n" if defined $-[$ENV{GROUP}] }' sample.$1
        done | sort -u | paste -sd' '
    }
    if command -v perl >/dev/null; then
        [ "$(found weir operator 1)" = "Conv Relu com.microsoft.QLinearAdd" ] || fail "operators: $(found weir operator 1)"
        [ "$(found weir statement 1)" = "input output" ] || fail "statements: $(found weir statement 1)"
        [ "$(found weir node 1)" = '"a node" /layer/Conv:0 input' ] || fail "nodes: $(found weir node 1)"
        [ "$(found weir type 0)" = "float32 int8 uint4" ] || fail "types: $(found weir type 0)"
        [ "$(found wrtl member 0)" = "BLUE On RED" ] || fail "members: $(found wrtl member 0)"
        for word in reset low to value; do
            sed -n '/^module names/,$p' sample.wrtl >names.wrtl
            jq -r '.repository.inner, .repository.first | .. | objects | .match? // empty' "$editors/vscode/syntaxes/wrtl.tmLanguage.json" |
                while read -r pattern; do grep -oP -e "$pattern" names.wrtl; done | tr -d ' ' | grep -qx $word && fail "the name '$word' is a keyword"
        done
    fi
else
    # --- Vim ---
    cat >groups.vim <<'END_OF_VIM'
" Each line of the buffer with the groups of its parts, as <Group:text>; with FIRST only its first word.
let lines = []
for l in range(1, line('$'))
  let out = ''
  let last = ''
  let text = getline(l)
  for c in range(1, $FIRST ? max([0, matchend(text, '^\s*\w\+')]) : len(text))
    let group = synIDattr(synID(l, c, 1), 'name')
    if group !=# last
      let out .= (last ==# '' ? '' : '>') . (group ==# '' ? '' : '<' . substitute(group, '^\(weir\|wrtl\)', '', '') . ':')
      let last = group
    endif
    let out .= text[c - 1]
  endfor
  call add(lines, out . (last ==# '' ? '' : '>'))
endfor
call writefile(lines + ['error: ' . v:errmsg, 'type: ' . &filetype . ' ' . &commentstring], $OUT)
qa!
END_OF_VIM
    # groups FILE [FOLDER]: as Vim, in its factory settings, shows it with the files of a folder.
    groups() {
        rm -f shown
        OUT=$PWD/shown timeout 60 vim -es -u NONE -i NONE --cmd "set rtp^=${2:-$editors/vim}" -c 'filetype plugin on' -c 'syntax on' -c "edit $1" -S groups.vim ||
            fail "Vim fails on $1"
        grep -qx 'error: ' shown || fail "$1: $(grep '^error:' shown)"
        grep -qx "type: ${1##*.} # %s" shown || fail "$1: $(grep '^type:' shown)"
        sed -i '/^error: \|^type: /d' shown
    }
    # has TEXT: is it in what was shown?
    has() { grep -qF -e "$1" shown; }
    groups sample.weir
    while read -r want; do has "$want" || fail "sample.weir: not as '$want'"; done <<'END_OF_LIST'
<HeaderWord:weir>
<String:"for ><Escape:\"><String:x>
<HeaderWord:patchable><Header: ><HeaderWord:every><Header: ><Number:128>
<String:"from"><Header: ><Comment:# comment>
<Statement:input> <Value:%x> : <Type:float32>[<Number:1>,
<Node:input>: <Value:%input> = <Operator:Relu>(<Value:%x>, <Special:_>)
<Field:alpha> = <Format:float> <Number:0.5>
<Field:s> = <String:"a # b">}
<Metadata:hardware>{<Field:module>=<Special:_> <Field:storage>=<Setting:block>}
: <Special:?>, <Type:int8>
<Format:fixed> <Format:s8> <Field:frac>=<Number:4> <Field:round>=<Setting:half-even>
<Node:"a node">: <Value:%"v w"> = <Operator:com.microsoft.QLinearAdd>(
<Node:/layer/Conv:0>: <Value:%/layer/Conv_out:0>
<Statement:output>
END_OF_LIST
    groups sample.wrtl
    while read -r want; do has "$want" || fail "sample.wrtl: not as '$want'"; done <<'END_OF_LIST'
<First:origin> <Inner:nowhere> <Number:0>
<First:module> <Module:leaf> <Inner:stub> {
<Name:high> : <Inner:signed> <Number:4>
<Name:b_leaf> : leaf#<Number:2> <Inner:wired>
<First:input> <Name:clk> : <Kind:$clock>
} <Inner:else> {
<First:always> <Inner:posedge> clk, <Inner:negedge> rst_n {
<First:item> color::<Member:RED> {
<Inner:to> <Number:-1> <Inner:step> <Number:-1> {
<First:fsm> <Module:lamp> <Inner:negedge> clk <Inner:reset> <Inner:low> rst_n <Inner:mealy>
<Inner:when> en <Inner:after> <Number:1> <Inner:to> <Number:3> <Inner:then> (r ==
<First:input> <Name:reset> : <Number:1>
<First:assign> to = (reset ? value : {low[<Number:3>:<Number:1>], <Number:1'h0>}) <Comment:# why>
<First:set> value = (low - to)
END_OF_LIST

    # Every line of designs begins with a word that is known, unless it is a name; every line of graphs with a node, a statement or a type.
    # shellcheck disable=SC2046 # names without blanks
    cat $(find "$E2E_SOURCE/tests/rtl" "$E2E_SOURCE/tests/unit/data/rtlir" -name '*.wrtl' ! -name '*error*' | sort) |
        grep -vE '^ *[A-Za-z_][A-Za-z0-9_]* = |# goes on inside of brackets' >all.wrtl # members of an enum, a line that goes on
    FIRST=1 groups all.wrtl
    grep -vE '^ *<(First|Name):|^ *(<Inner:else>|})?$' shown >log || true
    [ ! -s log ] || fail "Vim does not know the first words of $(head -5 log)"
    "$WEIR" compile "$models/mlp_residual_qdq.onnx" -o design >/dev/null
    for graph in model integer hardware; do
        groups design/$graph.weir
        grep -vE '^<(HeaderWord|Node|Statement):|^    (: |, )<(Type|Special):|^$' shown >log || true
        [ ! -s log ] || fail "$graph.weir: $(head -3 log)"
        grep '^<Node' shown | grep -v ' = <Operator:' >log || true
        [ ! -s log ] || fail "$graph.weir, operators: $(head -3 log)"
    done

    # --- planted: a keyword that is missing, a script that is wrong ---
    cp -r "$editors/vim" planted && sed -i "s/input constant output/input constant/" planted/syntax/weir.vim
    groups sample.weir planted
    has '<Statement:output>' && fail "a statement that Vim does not know goes unseen"
    echo 'syntax match weirWrong' >>planted/syntax/weir.vim
    (groups sample.weir planted) 2>&1 | grep -q 'error: E' || fail "an error of a syntax file goes unseen"
fi
finish
