import { BASE_STYLE } from '../page-base-style.js';

/** The style of the pages of the guide. */
export const GUIDE_STYLE = `${BASE_STYLE}html { scroll-padding-top: 4.5rem; }
.skip { position: absolute; z-index: 4; left: 0.5rem; top: 0.5rem; padding: 0.5rem 1rem; background: var(--page); border: 1px solid var(--line); }
.skip:not(:focus) { width: 0; height: 0; padding: 0; border: 0; overflow: hidden; }
main:focus { outline: none; }
header form { position: relative; flex: 1 1 14rem; max-width: 30rem; }
header input, .own input { width: 100%; padding: 0.35rem 0.6rem; border: 1px solid var(--line); border-radius: 4px; background: var(--page); color: inherit; font: inherit; }
header form ul { position: absolute; z-index: 3; left: 0; right: 0; max-height: 70vh; margin: 0.2rem 0 0; padding: 0.3rem; overflow: auto; list-style: none; border: 1px solid var(--line); border-radius: 4px; background: var(--page); box-shadow: 0 4px 16px #0003; }
header form li { padding: 0.3rem 0.5rem; }
header form li a { display: block; text-decoration: none; color: inherit; }
header form li a:hover, header form li a:focus { background: var(--code); }
header form li strong { display: block; color: var(--link); }
header form li small { color: var(--muted); overflow-wrap: anywhere; }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr) 14rem; max-width: 100rem; margin: 0 auto; }
.pages, .contents { position: sticky; top: 3.6rem; align-self: start; max-height: calc(100vh - 3.6rem); padding: 1rem; overflow: auto; font-size: 0.93rem; }
.pages { border-right: 1px solid var(--line); min-height: calc(100vh - 3.6rem); }
.pages summary { display: none; }
.pages h2, .contents h2 { margin: 1rem 0 0.2rem; font-size: 0.8rem; letter-spacing: 0.04em; text-transform: uppercase; color: var(--muted); }
.pages ul, .contents ul { margin: 0; padding: 0; list-style: none; }
.pages a, .contents a { display: block; padding: 0.2rem 0.5rem; text-decoration: none; color: inherit; border-radius: 4px; }
.pages a[aria-current], .pages a:hover, .contents a:hover { background: var(--code); }
.pages a[aria-current] { font-weight: 600; }
.contents .level-3 { padding-left: 0.8rem; color: var(--muted); }
main { max-width: 56rem; min-width: 0; padding: 1rem 2rem 4rem; overflow-wrap: anywhere; }
.own { padding: 0.5rem 0.8rem; border: 1px solid var(--line); border-radius: 4px; font-size: 0.9rem; }
.own label { display: grid; grid-template-columns: auto 1fr; gap: 0.8rem; align-items: center; }
img { max-width: 100%; height: auto; }
pre, code { background: var(--code); border-radius: 4px; font-size: 0.9em; }
code { padding: 0.1em 0.3em; }
pre { margin: 0; padding: 0.8rem; overflow-x: auto; }
pre code { padding: 0; font-size: 1em; }
pre > code { background: none; overflow-wrap: normal; }
.block { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: start; margin: 1em 0; background: var(--code); border-radius: 4px; }
.copy { margin: 0.3rem; padding: 0.1rem 0.6rem; border: 1px solid var(--line); border-radius: 4px; background: var(--page); color: inherit; font: 0.8rem system-ui, sans-serif; cursor: pointer; }
.tabs { display: flex; flex-wrap: wrap; margin-top: 1em; border-bottom: 1px solid var(--line); }
.tabs button { padding: 0.3rem 0.8rem; border: 0; border-bottom: 3px solid transparent; background: none; color: inherit; font: 0.9rem system-ui, sans-serif; cursor: pointer; }
.tabs button[aria-selected=true] { border-color: var(--keyword); font-weight: 600; }
.languages > .block { margin-top: 0; }
.languages > pre { margin: 1em 0; }
.comment { color: var(--comment); } .string { color: var(--string); } .variable { color: var(--variable); } .keyword { color: var(--keyword); } .number { color: var(--number); }
.scroll { overflow-x: auto; margin: 1em 0; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
.neighbours { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.neighbours small { display: block; color: var(--muted); }
.neighbours [rel=next] { text-align: right; }
@media (max-width: 80rem) { .columns { grid-template-columns: 15rem minmax(0, 1fr); } .contents { display: none; } }
@media (max-width: 60rem) {
  .columns { display: block; }
  .pages { position: static; max-height: none; min-height: 0; border-right: 0; border-bottom: 1px solid var(--line); }
  .pages summary { display: block; cursor: pointer; font-weight: 600; }
  main { padding: 0.5rem 1rem 3rem; }
}
`;
