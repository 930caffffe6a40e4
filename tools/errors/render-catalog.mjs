const INTRODUCTION = `# Errors

Every error response has the same body: \`status\`, \`error\` (the code), \`message\` (what is wrong, where, and what to do), \`timestamp\`,
\`requestId\` and often \`details\`. The header \`Link: <…/guide/errors#code>; rel="help"\` leads to the entry of the code on this page. Requests to the token
endpoint as a form receive the body of OAuth 2.0 instead ([authentication.md](authentication.md#errors)).

- Codes do not change; messages may. Decide by \`status\` and \`error\`, and show the message to people.
- \`details.errors\` lists single errors, each with its own code, \`field\` and message, at most 1,000; \`details.total\` counts all. Errors of rows add \`table\`,
  \`index\`, \`line\`, \`key\` and \`column\`; \`duplicate_in_batch\` adds \`otherIndex\` and \`otherLine\`, the position of the other row.
- Unless its entry states otherwise, an error means that nothing was stored. With \`onError=continue\` the valid rows or items are stored; the status is then
  207, the message counts the failed ones, and each has its errors in the report.
- A status at an entry is that of responses with the code. Every code can also occur in \`details.errors\`.
- 408, 429 and 503 are temporary: send the same request again after \`Retry-After\` seconds, with the same \`Idempotency-Key\`. All other errors need another
  request.

\`npm run errors\` writes this page from the code.
`;

/** Codes without an entry, entries without a code, and codes that are not literals. */
export function findProblems(codes, unknown, catalogs) {
  const described = catalogs.flatMap((catalog) => Object.keys(catalog.codes));
  const fileOf = (code) => [...codes.get(code).files][0];
  return [
    ...unknown.map((expression) => `${expression} is not a string literal. Give the code a literal type.`),
    ...[...codes.keys()]
      .filter((code) => !described.includes(code))
      .map((code) => `${code} (${fileOf(code)}) has no entry. Add it to the *.error-catalog.ts of the module.`),
    ...described
      .filter((code) => !codes.has(code))
      .map((code) => `${code} does not occur in the code. Remove its entry.`),
    ...described
      .filter((code, index) => described.indexOf(code) < index)
      .map((code) => `${code} has several entries. Remove all but one.`),
  ];
}

/**
 * The page: a table of contents, and a section per catalog with a heading per code.
 *
 * @param statuses the HTTP status of each kind of error.
 */
export function renderCatalog(codes, catalogs, statuses) {
  const contents = catalogs.map(({ title, codes: entries }) => {
    const links = Object.keys(entries).map((code) => `[\`${code}\`](#${code})`);
    return `- **${title}**: ${links.join(', ')}`;
  });
  const sections = catalogs.map(({ title, guide, codes: entries }) => {
    const rendered = Object.entries(entries).map(([code, entry]) =>
      renderEntry(code, entry, describeStatus(codes.get(code), statuses)),
    );
    return `## ${title}\n\nGuide: [${guide}.md](${guide}.md)\n\n${rendered.join('\n')}`;
  });
  return [INTRODUCTION, '## Codes', contents.join('\n'), ...sections].join('\n\n');
}

function renderEntry(code, { meaning, cause, remedy }, status) {
  return `### \`${code}\`\n\n${status} · ${meaning}\n\n- Cause: ${cause}\n- Remedy: ${remedy}\n`;
}

function describeStatus(found, statuses) {
  const used = [...(found?.kinds ?? [])].map((kind) => statuses[kind] ?? Number(kind));
  const sorted = [...new Set(used)].sort((a, b) => a - b);
  return sorted.length > 0 ? `**${sorted.join(', ')}**` : '**In `details.errors`**';
}
