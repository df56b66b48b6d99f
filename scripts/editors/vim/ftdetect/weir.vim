" Texts of Weir: graphs and hardware designs.
autocmd BufNewFile,BufRead *.weir setfiletype weir
autocmd BufNewFile,BufRead *.wrtl setfiletype wrtl
