import { BASE_STYLE } from '../page-base-style.js';

/** The style of the table browser. */
export const TABLES_STYLE = `${BASE_STYLE}
:root {
  --field: light-dark(#6b7683, #8b949e); --head: light-dark(#eef1f4, #22272d);
  --bad: light-dark(#a4161a, #ffb4ab); --bad-page: light-dark(#fdecea, #3b1d1c);
  --good: light-dark(#0a6b3d, #8fd19e); --good-page: light-dark(#e6f4ec, #14301f);
  --warn: light-dark(#7a4d00, #ffd28a); --warn-page: light-dark(#fff4dd, #38290b);
}
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
h1:focus, h2:focus { outline: none; }
#app > header { gap: 0.5rem 1.2rem; }
#app > header button { margin-left: auto; }
.workspace { display: flex; gap: 0.5rem; align-items: center; min-width: 0; }
.workspace select { min-width: 0; max-width: 60vw; }
main { max-width: 100rem; margin: 0 auto; padding: 0.5rem 1.5rem 4rem; }
h1 { margin: 0.6rem 0; font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { margin: 1.4rem 0 0.3rem; font-size: 1.15rem; overflow-wrap: anywhere; }
h3 { margin: 1.2rem 0 0.3rem; font-size: 1rem; }
p { margin: 0.5rem 0; }
code { font-size: 0.9em; overflow-wrap: anywhere; }
td code, td time { white-space: nowrap; }
.muted { color: var(--muted); }
.status { min-height: 1.55em; color: var(--muted); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
button, input, select, textarea { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--field); border-radius: 4px; padding: 0.35rem 0.7rem; max-width: 100%; }
button { cursor: pointer; background: var(--code); }
button.primary { background: var(--link); border-color: var(--link); color: var(--page); font-weight: 600; }
button:disabled { cursor: default; opacity: 0.6; }
input::placeholder { color: var(--muted); opacity: 1; }
.message { margin: 0.6rem 0; padding: 0.4rem 0.8rem; border-left: 4px solid var(--bad); background: var(--bad-page); overflow-wrap: anywhere; }
.message p, .message ul { margin: 0.2rem 0; }
.forms { display: flex; flex-wrap: wrap; gap: 1.5rem; }
.forms form { flex: 1 1 16rem; max-width: 26rem; padding: 0 1rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
.forms label { display: block; margin: 0.6rem 0; }
.forms input { display: block; width: 100%; }
.controls { display: flex; flex-wrap: wrap; gap: 0.6rem 0.8rem; align-items: end; margin: 0.6rem 0; }
.controls label { display: grid; gap: 0.1rem; font-size: 0.9rem; min-width: 0; }
.controls input, .controls select, .controls button { min-height: 2.4rem; font-size: 1rem; }
.controls .check, .kinds .check { display: flex; gap: 0.4rem; align-items: center; padding: 0.35rem 0; font-size: 1rem; }
.controls .check input, .kinds .check input { width: 1.1rem; min-height: 0; height: 1.1rem; flex: none; }
.conditions { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.4rem 0; padding: 0; list-style: none; }
.conditions li { display: flex; gap: 0.5rem; align-items: center; padding: 0.1rem 0.2rem 0.1rem 0.7rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--code); overflow-wrap: anywhere; }
.conditions button { padding: 0.1rem 0.5rem; border: 0; border-radius: 1rem; background: none; }
.path ol { display: flex; flex-wrap: wrap; gap: 0.2rem 0.5rem; margin: 0.4rem 0; padding: 0; list-style: none; font-size: 0.93rem; }
.path li + li::before { content: '›'; margin-right: 0.5rem; color: var(--muted); }
.views { display: flex; flex-wrap: wrap; gap: 0.2rem; border-bottom: 1px solid var(--line); }
.views a { padding: 0.3rem 0.8rem; border-bottom: 3px solid transparent; text-decoration: none; color: inherit; }
.views a[aria-current] { border-color: var(--link); font-weight: 600; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; width: fit-content; }
.scroll { overflow-x: auto; margin: 0.4rem 0 0.8rem; border: 1px solid var(--line); border-radius: 4px; }
table { border-collapse: collapse; min-width: 100%; font-size: 0.95rem; }
th, td { padding: 0.35rem 0.7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; max-width: 24rem; overflow-wrap: break-word; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { background: var(--head); white-space: nowrap; }
tbody th { font-weight: 600; white-space: nowrap; max-width: none; }
td { min-width: 4rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.sort { padding: 0; border: 0; background: none; font-weight: 600; }
.sort .direction { display: inline-block; width: 1.2em; color: var(--muted); }
.badge { display: inline-block; padding: 0 0.45rem; border-radius: 3px; font-size: 0.82rem; font-weight: 600; background: var(--warn-page); color: var(--warn); white-space: nowrap; }
.badge.message { margin: 0; border: 0; } .badge.error, .badge.delete { background: var(--bad-page); color: var(--bad); }
.badge.create { background: var(--good-page); color: var(--good); }
.unresolved { border-bottom: 2px dotted var(--warn); }
.node { display: flex; gap: 0.3rem; align-items: center; padding-left: calc(var(--level) * 1.3rem); }
.toggle { flex: none; width: 1.7rem; padding: 0.05rem 0; text-align: center; }
.kinds { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; margin: 0.6rem 0; padding: 0.1rem 0.8rem; border: 1px solid var(--line); border-radius: 4px; }
.invalid { background: var(--bad-page); box-shadow: inset 3px 0 var(--bad); }
.cell-error { display: block; min-width: 10rem; color: var(--bad); font-size: 0.88rem; font-weight: 400; white-space: normal; }
del { color: var(--bad); text-decoration: line-through; }
ins { color: var(--good); text-decoration: none; font-weight: 600; }
dialog { width: min(52rem, calc(100vw - 1rem)); max-height: calc(100vh - 2rem); padding: 0.6rem 1.2rem 1.2rem; border: 1px solid var(--line); border-radius: 8px; background: var(--page); color: inherit; overflow: auto; }
dialog::backdrop { background: #0008; }
dialog > header { display: flex; gap: 1rem; justify-content: space-between; align-items: start; }
dialog > header h2 { margin: 0.2rem 0; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 0.5rem 1.5rem; margin: 0.6rem 0; }
dl div { min-width: 0; } dt { font-size: 0.9rem; font-weight: 600; } dt .muted { font-weight: 400; } dd { margin: 0; overflow-wrap: anywhere; min-height: 1.55em; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 0.5rem 1.5rem; margin: 0.6rem 0; }
.fields label { display: grid; grid-template-columns: auto 1fr; gap: 0 0.4rem; font-size: 0.9rem; font-weight: 600; }
.fields label > :last-child { grid-column: 1 / -1; font-weight: 400; }
.history { margin: 0; padding: 0; list-style: none; }
.history > li { padding-top: 0.4rem; border-top: 1px solid var(--line); }
@media (max-width: 40rem) {
  #app > header { position: static; padding: 0.6rem 0.8rem; }
  main { padding: 0.3rem 0.8rem 3rem; }
  .controls label, .controls label input, .controls label select { width: 100%; }
  .controls label { flex: 1 1 9rem; }
  .controls .check { flex-basis: 100%; }
  dialog { padding: 0.4rem 0.8rem 1rem; }
}
`;
