/** The style of the pages of the guide. */
export const GUIDE_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #3a4047); --code: light-dark(#f4f6f8, #22272d); }
body { margin: 0; display: flex; font: 16px/1.55 system-ui, sans-serif; }
nav { flex: 0 0 13rem; padding: 1.5rem 1rem; border-right: 1px solid var(--line); box-sizing: border-box; }
nav a { display: block; padding: 0.2rem 0.5rem; text-decoration: none; color: inherit; border-radius: 4px; }
nav a[aria-current], nav a:hover { background: var(--code); }
main { max-width: 56rem; min-width: 0; padding: 1rem 2rem 4rem; overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; }
pre, code { background: var(--code); border-radius: 4px; font-size: 0.9em; }
code { padding: 0.1em 0.3em; }
pre { padding: 0.8rem; overflow-x: auto; }
pre code { padding: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
@media (max-width: 48rem) { body { display: block; } nav { border-right: 0; border-bottom: 1px solid var(--line); } nav a { display: inline-block; } }
`;
