/** Colors, fonts and the header of the guide and of the table browser. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --line: light-dark(#d8dde3, #3a4047); --code: light-dark(#f4f6f8, #22272d); --page: light-dark(#fff, #15181c);
  --link: light-dark(#1f5fbf, #8ab4f8); --muted: light-dark(#545d68, #a9b1ba);
  --comment: light-dark(#5a6472, #9aa4af); --string: light-dark(#0a6b3d, #8fd19e); --variable: light-dark(#8a3ffc, #c9a6ff);
  --keyword: light-dark(#a1260d, #ffab91); --number: light-dark(#0b5cad, #90caf9);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); }
:is(body, #app) > header { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.3rem 1.5rem; align-items: center; padding: 0.6rem 1rem; border-bottom: 1px solid var(--line); background: var(--page); }
:is(body, #app) > header .brand { font-weight: 600; text-decoration: none; color: inherit; }
:is(body, #app) > header nav { display: flex; gap: 1rem; }
[hidden] { display: none !important; }
`;
