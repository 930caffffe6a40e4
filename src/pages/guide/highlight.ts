const STRING = `'[^'\\n]*'|"(?:\\\\.|[^"\\\\\\n])*"`;
const NUMBER = '\\b\\d[\\d_.]*\\b';
const SHELL_WORDS = 'curl|npm|npx|node|docker|export|if|then|else|fi|for|do|done|atrium|kubectl|psql';
const SCRIPT_WORDS =
  'const|let|function|return|if|else|for|of|in|import|from|export|class|extends|new|await|async|type|interface|readonly|' +
  'private|throw|try|catch|null|true|false|undefined|var|string|using|throws';
const PYTHON_WORDS = 'import|from|def|return|with|as|for|in|if|else|not|and|or|None|True|False';

/** The parts of a text by language: each alternative is a named group, which becomes a class. */
const LANGUAGES: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    sh: RegExp(
      `(?<comment>(?<=^|\\s)#.*)|(?<string>'[^']*'|"(?:\\\\.|[^"\\\\])*")|(?<variable>\\$\\{?\\w+\\}?)|(?<keyword>(?<![\\w./-])(?:${SHELL_WORDS})(?![\\w-]))`,
      'gm',
    ),
    json: RegExp(
      `(?<variable>"(?:\\\\.|[^"\\\\])*"(?=\\s*:))|(?<string>${STRING})|(?<number>-?${NUMBER})|(?<keyword>\\b(?:true|false|null)\\b)`,
      'g',
    ),
    ts: RegExp(
      `(?<comment>//.*|/\\*[\\s\\S]*?\\*/)|(?<string>${STRING}|\`[^\`]*\`)|(?<variable>@\\w+)|(?<keyword>\\b(?:${SCRIPT_WORDS})\\b)|(?<number>${NUMBER})`,
      'gm',
    ),
    python: RegExp(
      `(?<comment>#.*)|(?<string>\\b[fb]?(?:${STRING}))|(?<keyword>\\b(?:${PYTHON_WORDS})\\b)|(?<number>${NUMBER})`,
      'gm',
    ),
    yaml: RegExp(`(?<comment>(?<=^|\\s)#.*)|(?<variable>^\\s*[\\w.-]+(?=:))|(?<string>${STRING})`, 'gm'),
  }),
);

// Their words and texts are similar.
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    java: 'ts',
    csharp: 'ts',
    js: 'ts',
    typescript: 'ts',
    bash: 'sh',
    nginx: 'yaml',
  }),
);

/** The text as HTML, with the parts of its language in elements that the style colors. */
export function highlight(text: string, language = ''): string {
  const pattern = LANGUAGES.get(ALIASES.get(language) ?? language);
  if (!pattern) return escapeHtml(text);
  let html = '';
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [name] = Object.entries(match.groups as Record<string, string | undefined>).find(
      ([, part]) => part !== undefined,
    )!;
    html += `${escapeHtml(text.slice(end, match.index))}<span class="${name}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(end));
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
