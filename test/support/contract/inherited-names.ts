import { type Operation, operations } from './document.js';
import { EXCLUDED, pathReference, type PlannedRequest } from './requests.js';

/** Names that a look-up in a plain object finds although the program does not define them. */
const INHERITED_NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

/** Headers whose values the service or a library looks up. */
const HEADERS = [
  ...['Accept', 'Accept-Charset', 'Accept-Encoding', 'Accept-Language', 'Authorization', 'Content-Encoding'],
  ...['Content-Type', 'If-Match', 'If-None-Match', 'Idempotency-Key', 'Origin', 'Prefer', 'Range', 'X-API-Key'],
];

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=x';

const multipart = (name: string) =>
  [
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${name}`,
    `--x\r\nContent-Disposition: form-data; name="a"; ${name}=${name}\r\nContent-Type: text/plain; charset=${name}\r\n\r\nx`,
    `--x\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: ${name}\r\n\r\nx`,
    '--x--\r\n',
  ].join('\r\n');

function listVariants(operation: Operation, name: string): Partial<PlannedRequest>[] {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, each: string) => pathReference(operation.path, each));
  const inherited = operation.path.replace(/\{\w+\}/g, name);
  const names = operation.parameters.filter((parameter) => parameter.in === 'query').map((each) => each.name);
  const query = names.flatMap((each) => [`${each}=${name}`, `${each}[${name}]=1`, `${each}[${name}][${name}]=${name}`]);
  const json = JSON.stringify({ a: name }).replace('"a"', JSON.stringify(name));
  const sendBody = (type: string, body: string) => ({
    path,
    headers: { 'Content-Type': type },
    body: Buffer.from(body),
  });
  return [
    { path: inherited, hasOtherPath: true },
    { path: `${path}/${name}`, hasOtherPath: true },
    { path: `${path}?${name}=1&${name}[${name}]=1` },
    ...query.map((each) => ({ path: `${path}?${each}` })),
    ...HEADERS.map((header) => ({
      path,
      headers: { 'Content-Type': JSON_TYPE, [header]: name },
      body: Buffer.from('{}'),
    })),
    { path, headers: { [name]: name } },
    ...[json, `[${json}]`, `{"items":[${json}],"fields":${json},"customFields":${json},"filter":${json}}`].map((each) =>
      sendBody(JSON_TYPE, each),
    ),
    sendBody(`${JSON_TYPE}; charset=${name}; ${name}=1`, '{}'),
    sendBody(FORM_TYPE, `${name}=${name}&grant_type=${name}`),
    sendBody(MULTIPART_TYPE, multipart(name)),
  ];
}

/** Requests to all operations with an inherited name in each path segment, query, header and body. */
export function* planInheritedNames(): Generator<PlannedRequest> {
  for (const [index, operation] of operations.entries()) {
    if (EXCLUDED.has(operation.operationId)) continue;
    const name = INHERITED_NAMES[index % INHERITED_NAMES.length]!;
    for (const variant of listVariants(operation, name))
      yield { operation, caller: 'key', path: operation.path, headers: {}, ...variant };
  }
}
