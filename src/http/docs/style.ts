/** Stylesheet of the documentation. Colours are defined once, for light and dark. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fdfcfa; --panel: #f5f3ee; --sunk: #f3f1ec; --line: #e2ded5; --ink: #1f2328; --soft: #5d636b;
  --accent: #0a6b5b; --accent-wash: #e2f1ed; --careful: #8a4b00; --careful-wash: #fbf0df;
  --get: #0a6b5b; --post: #1d55b4; --put: #8a5300; --delete: #b3261e;
  --key: #6a3d9a; --string: #0a6b5b; --value: #a8430b;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --panel: #1b1f23; --sunk: #1e2327; --line: #31383e; --ink: #e6e8ea; --soft: #a2abb3;
    --accent: #5fd0b8; --accent-wash: #17332e; --careful: #f0b45c; --careful-wash: #33280f;
    --get: #5fd0b8; --post: #8ab4f8; --put: #f0b45c; --delete: #ff9d94;
    --key: #c9a7f2; --string: #7fd6b4; --value: #f3a76a;
  }
}
* { box-sizing: border-box }
html { scroll-padding-top: 5rem; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--sans) }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px }
main:focus { outline: none }
[hidden] { display: none !important }
.skip { position: absolute; left: 1rem; top: -4rem; z-index: 3; padding: .5rem 1rem; background: var(--accent); color: var(--paper) }
.skip:focus { top: .5rem }

.top { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: 1rem; min-height: 3.5rem;
  padding: .4rem 1.5rem; background: var(--paper); border-bottom: 1px solid var(--line) }
.brand { display: flex; align-items: center; gap: .5rem; color: var(--ink); font-weight: 650; text-decoration: none }
.brand small { color: var(--soft); font-weight: 400 }
.links { margin-left: auto; display: flex; gap: 1.25rem; font-size: .875rem }
.menu-button { display: none }
button { font: inherit; cursor: pointer }

.frame { display: grid; grid-template-columns: 16rem minmax(0, 1fr); max-width: 100rem; margin: 0 auto }
nav { position: sticky; top: 3.5rem; align-self: start; max-height: calc(100vh - 3.5rem); overflow-y: auto;
  padding: 1.5rem .75rem 3rem; border-right: 1px solid var(--line); font-size: .9375rem; min-height: calc(100vh - 3.5rem) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .22rem .6rem; border-radius: 5px; color: var(--soft); text-decoration: none }
nav a:hover { color: var(--ink); background: var(--panel) }
nav .pages-group { margin: 1rem 0 .25rem; padding: 0 .6rem; font-size: .8125rem; font-weight: 650; color: var(--soft) }
nav .pages-group:first-child { margin-top: 0 }
nav .pages > li > a { color: var(--ink); font-weight: 500 }
nav a[aria-current=page] { background: var(--accent-wash); color: var(--accent) !important; font-weight: 650 !important }
nav a[aria-current=location] { color: var(--accent); background: var(--panel) }
nav .sections { margin: .25rem 0 .75rem .6rem; border-left: 1px solid var(--line); font-size: .875rem }
.in-page { margin-top: 1rem; padding-top: .25rem; border-top: 1px solid var(--line) }
.in-group { margin: .8rem 0 0; font-size: .8125rem }
.in-group .group-link { color: var(--ink); font-weight: 650 }
.in-group li a { display: flex; gap: .5rem; align-items: baseline; line-height: 1.35 }
.in-group .verb { flex: none; width: 1.9rem; font-size: .625rem; text-align: left; padding: 0; background: none; border: 0 }
.in-group .old a { opacity: .75; text-decoration: line-through }

main { padding: 2rem 2.5rem 6rem; max-width: 54rem; min-width: 0 }
.wide main { max-width: none }
h1 { margin: 0 0 .5rem; font-size: 2.125rem; line-height: 1.2; letter-spacing: -.02em }
h1 + p { margin-top: 0; color: var(--soft); font-size: 1.125rem; max-width: 46rem }
h2 { margin: 3rem 0 .75rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em }
h3 { margin: 2rem 0 .5rem; font-size: 1.125rem; line-height: 1.35 }
h4 { margin: 1.5rem 0 .5rem; font-size: .75rem; letter-spacing: .07em; text-transform: uppercase; color: var(--soft) }
p, ul, ol { margin: .75rem 0 }
li { margin: .25rem 0 }
main > p, main > ul, main > ol { max-width: 44rem }
.anchor { color: var(--soft); text-decoration: none; opacity: 0; font-weight: 400 }
:hover > .anchor, .anchor:focus { opacity: 1 }
blockquote { margin: 1rem 0; padding: .6rem 1rem; border-left: 3px solid var(--careful); background: var(--careful-wash); border-radius: 0 5px 5px 0 }
blockquote p { margin: .25rem 0 }
hr { border: 0; border-top: 1px solid var(--line); margin: 2.5rem 0 }

code { font: .875em/1.5 var(--mono); background: var(--sunk); padding: .1em .32em; border-radius: 4px; overflow-wrap: break-word }
.code { position: relative; margin: 1rem 0 }
pre { margin: 0; padding: .8rem 1rem; font: .8125rem/1.55 var(--mono); overflow: auto; max-height: 32rem; background: var(--sunk); border: 1px solid var(--line); border-radius: 7px }
pre code { font: inherit; padding: 0; background: none; overflow-wrap: normal; tab-size: 2 }
.folded { margin: .5rem 0; border: 1px solid var(--line); border-radius: 7px }
.folded summary { padding: .4rem 1rem; cursor: pointer }
.folded .code { margin: 0 .5rem .5rem }
.copy { position: absolute; top: .4rem; right: .4rem; padding: .1rem .55rem; font-size: .75rem; color: var(--soft);
  background: var(--paper); border: 1px solid var(--line); border-radius: 5px }
.copy:hover { color: var(--ink) }
@media (hover: hover) { .copy { opacity: 0 } .code:hover .copy, .code:focus-within .copy { opacity: 1 } }
.k { color: var(--key) } .s { color: var(--string) } .n { color: var(--value) }

table { width: 100%; margin: 1rem 0; border-collapse: collapse; font-size: .9rem; line-height: 1.5 }
th, td { padding: .45rem .75rem .45rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
th { font-size: .8125rem; font-weight: 600; color: var(--soft); white-space: nowrap }

.verb { font: 700 .75rem/1 var(--mono); padding: .25rem .4rem; border-radius: 4px; border: 1px solid currentColor; vertical-align: .12em }
.get { color: var(--get) } .post { color: var(--post) } .put { color: var(--put) } .delete { color: var(--delete) }
.flag { display: inline-block; padding: .12rem .5rem; border-radius: 99px; font: 600 .6875rem/1.4 var(--sans); color: var(--careful); background: var(--careful-wash); vertical-align: .15em }
.group > h2 { padding-top: 1rem; border-top: 1px solid var(--line) }
.group > p { max-width: 44rem }
.operation, .object { margin: 2rem 0 0; padding: 1.5rem 0 0; border-top: 1px dashed var(--line) }
.operation h3, .object h3 { margin-top: 0 }
.operation h3 code { background: none; padding: 0; font-size: 1.0625rem; font-weight: 600 }
.operation:target h3, .object:target h3 { background: linear-gradient(var(--accent-wash), var(--accent-wash)); box-shadow: -.5rem 0 0 .35rem var(--accent-wash), .5rem 0 0 .35rem var(--accent-wash); border-radius: 2px }
.lead { margin: .4rem 0 0; font-size: 1.0625rem }
.object { max-width: 54rem }

.operations { list-style: none; margin: .5rem 0; padding: 0 }
.operations a { display: grid; grid-template-columns: 4.25rem minmax(0, 22rem) minmax(0, 1fr); gap: .75rem; align-items: baseline; padding: .35rem .5rem; color: inherit; text-decoration: none; border-radius: 5px }
.operations a:hover { background: var(--sunk) }
.operations code { background: none; padding: 0 }
.operations .verb { justify-self: start }
.operations .old code { text-decoration: line-through }
.group > h2 a { color: inherit; text-decoration: none } .group > h2 a:hover { text-decoration: underline }
.tabs { margin-top: 1.5rem }
.tabs [role=tablist] { display: flex; flex-wrap: wrap }
.tabs [role=tab] { padding: .3rem .6rem; font-size: .8125rem; font-weight: 600; color: var(--soft); background: none; border: 0; border-bottom: 2px solid transparent; cursor: pointer }
.tabs [role=tab][aria-selected=true] { color: var(--accent); border-bottom-color: currentColor }
.tabs .code { margin: .25rem 0 0 }
html:not(.js) .tabs [role=tablist] { display: none }
.find { position: relative; flex: 0 1 22rem; margin-left: auto }
.find input { padding-right: 2rem; font-family: var(--sans) }
.find kbd { position: absolute; right: .5rem; top: .42rem; padding: .02rem .42rem; border: 1px solid var(--line); border-radius: 4px; font: .75rem/1.5 var(--mono); color: var(--soft) }
.find input:focus ~ kbd { display: none }
#finds { position: absolute; right: 0; top: calc(100% + .4rem); width: min(36rem, calc(100vw - 2rem)); max-height: 70vh; overflow-y: auto; padding: .5rem; background: var(--paper); border: 1px solid var(--line); border-radius: 7px; box-shadow: 0 8px 24px rgb(0 0 0 / .18); z-index: 3 }
#finds p { margin: 0 .5rem; font-size: .75rem; color: var(--soft) }
#finds ol { list-style: none; margin: .25rem 0 0; padding: 0 }
#finds a { display: block; padding: .45rem .5rem; color: inherit; text-decoration: none; border-radius: 5px; overflow-wrap: anywhere }
#finds a:hover, #finds a:focus { background: var(--accent-wash) }
#finds small { margin-left: .5rem; color: var(--soft) }
#finds span { display: block; font-size: .8125rem; line-height: 1.45; color: var(--soft) }
html:not(.js) .find { display: none }

.search { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; max-width: 44rem; margin: 1.5rem 0; position: relative }
.search label { width: 100%; font-size: .875rem; font-weight: 600 }
.search input { flex: 1; padding: .6rem .8rem }
.search kbd { position: absolute; right: .7rem; bottom: .62rem; padding: .05rem .45rem; border: 1px solid var(--line); border-radius: 4px; font: .75rem/1.5 var(--mono); color: var(--soft) }
.search input:focus ~ kbd { display: none }
.search p { position: absolute; left: 0; top: 100%; margin: .3rem 0 0; font-size: .8125rem; color: var(--soft) }
html:not(.js) .search, html:not(.js) .try { display: none }

input, textarea, select { width: 100%; padding: .4rem .6rem; font: .875rem/1.5 var(--mono); color: var(--ink); background: var(--paper);
  border: 1px solid var(--soft); border-radius: 5px }
textarea { resize: vertical }
.try { margin: 1rem 0 0; border: 1px solid var(--line); border-radius: 7px }
.try summary { padding: .55rem 1rem; cursor: pointer; font-weight: 600; color: var(--accent) }
.try form { padding: 0 1rem 1rem }
.try label, .key label { display: block; margin: .6rem 0 .2rem; font-size: .8125rem }
.optional, .hint { color: var(--soft) }
.key { margin: .25rem 0 .75rem; padding: .25rem 1rem .75rem; border: 1px solid var(--line); border-radius: 5px }
.key legend { padding: 0 .35rem; font-size: .8125rem; font-weight: 600 }
.hint { margin: .5rem 0 0; font-size: .75rem }
.careful { margin: .75rem 0 0; font-size: .8125rem; color: var(--careful) }
.send { margin-top: .75rem; padding: .45rem 1.1rem; color: var(--paper); background: var(--accent); border: 0; border-radius: 5px; font-weight: 600 }
.send.changes { background: var(--careful) }
.send:disabled { opacity: .6; cursor: progress }
.outcome:not(:empty) { margin-top: 1rem }
.outcome dl { display: grid; grid-template-columns: auto 1fr; gap: .1rem .75rem; margin: .5rem 0; font: .75rem/1.6 var(--mono) }
.outcome dt { color: var(--soft) } .outcome dd { margin: 0; overflow-wrap: anywhere }
.outcome .status { font-weight: 650 } .outcome .bad { color: var(--delete) } .outcome .good { color: var(--get) }

@media (min-width: 75rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 26rem); gap: 2rem; align-items: start }
  .samples { position: sticky; top: 4.5rem }
  .samples > .code:first-child { margin-top: 1.5rem }
}
@media (max-width: 56rem) {
  .frame { display: block }
  .links { display: none }
  main { padding: 1.25rem 1.25rem 4rem }
  nav { position: static; max-height: none; min-height: 0; padding: .75rem 1rem; border-right: 0; border-bottom: 1px solid var(--line) }
  .js .menu-button { display: block; margin-left: auto; padding: .25rem .8rem; color: var(--ink); background: none; border: 1px solid var(--line); border-radius: 5px }
  .js nav:not(.open) { display: none }
  .js nav.open { position: fixed; inset: 3.5rem 0 0; align-self: stretch; z-index: 1; overflow-y: auto; overscroll-behavior: contain; background: var(--paper) }
  h1 { font-size: 1.75rem } h2 { margin-top: 2.25rem; font-size: 1.3125rem }
  .top { padding: .4rem 1.25rem }
}
@media (max-width: 40rem) {
  .operations a { grid-template-columns: auto minmax(0, 1fr); gap: .25rem .5rem }
  .operations span:last-child { grid-column: 1 / -1 }
  .find { flex: 1 1 6rem }
  .brand small { display: none }
  table, tbody, tr, td { display: block }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tr { padding: .6rem 0; border-bottom: 1px solid var(--line) }
  td { position: relative; padding: .1rem 0 .1rem 6.25rem; border: 0 }
  td::before { content: attr(data-label); position: absolute; left: 0; font-size: .75rem; line-height: 1.9; color: var(--soft) }
  td:first-child { padding-left: 0; font-weight: 600 }
  td:first-child::before { display: none }
  td:empty { display: none }
  .operation h3 code { font-size: .9375rem }
}
@media print { .top, nav, .try, .search, .copy { display: none } .frame { display: block } pre { max-height: none; white-space: pre-wrap } }
`
