import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandLine } from '../support/command-line.js';
import { unknownCredential } from '../support/credentials.js';
import { Receiver } from '../support/receiver.js';
import { ROOT } from '../support/service.js';
import { shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

let atrium: CommandLine;
let receiver: Receiver;
/** IDs that commands name. */
const ids: Record<string, string> = {};

const ROWS = Array.from({ length: 20 }, (_, index) => ({ code: `K${index}`, weight: index }));

/** Tables with the same rows. The loads of `Reviewed` need approval. */
const TABLES = ['Rows', 'Loaded', 'Synced', 'Undone', 'Strict', 'Reviewed'];

beforeAll(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
  receiver = await Receiver.start();
  for (const table of TABLES) await atrium.fill(table, ROWS);
  const edit = (table: string, body: object) =>
    atrium.client.put('/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}', {
      params: { path: { workspaceId: atrium.caller.workspaceId, entity: 'assets', table } },
      body,
    });
  for (const table of ['Undone', 'Reviewed'])
    ids[table] = (await atrium.client.assets(table).upsert([{ code: 'K0', weight: 9 }])).batchIds[0]!;
  await atrium.client.assets('Strict').upsert([{ code: 'K0', weight: 9 }]);
  const constrained = [
    { key: 'weight', options: { minimum: 1 } },
    { key: 'code', options: { maxLength: 5 } },
  ];
  await edit('Strict', { columns: constrained });
  await edit('Reviewed', { options: { approval: { required: true } } });
  const propose = async () => (await atrium.client.assets('Reviewed').delete(['K1'])).proposalIds[0]!;
  Object.assign(ids, { approved: await propose(), rejected: await propose() });

  const toFile = (rows: { code: string; weight: number | string }[]) =>
    ['code,weight', ...rows.map(({ code, weight }) => `${code},${weight}`)].join('\n');
  atrium.write('equal.csv', toFile(ROWS));
  atrium.write('changed.csv', toFile(ROWS.with(0, { code: 'K0', weight: 5 })));
  atrium.write('rejected.csv', toFile([...ROWS.slice(1), { code: 'K0', weight: 5 }]).replace('K1,1\n', 'K1,heavy\n'));
  atrium.write('short.csv', toFile(ROWS.slice(0, 1)));
  atrium.write('sap.csv', 'EQUNR;EQKTX\nA;Pump\n');
  atrium.write('notes.ndjson', '{"title":"Noise"}\n');
  atrium.write('wrong.ndjson', `{"title":"Noise"}\n{"title":"${'x'.repeat(501)}"}\n`);
  atrium.write('fields.json', '[]');
  atrium.write('policy.yaml', "name: Readers\ntables: [{ entity: assets, table: '*' }]\n");
}, 60_000);

afterAll(() => {
  receiver.stop();
});

/** A use of each command that succeeds, in their order. */
const SUCCESSES: Record<string, () => string[]> = {
  login: () => ['--url', atrium.service.baseUrl, '--api-key', atrium.environment['ATRIUM_API_KEY']!],
  whoami: () => [],
  'auth token': () => [],
  doctor: () => [],
  workspaces: () => [],
  tables: () => [],
  describe: () => ['Rows'],
  get: () => ['Rows', 'K1'],
  set: () => ['Rows', 'K1', 'weight=2'],
  rename: () => ['Rows', 'K2', 'L2'],
  delete: () => ['Rows', 'L2', '--yes'],
  export: () => ['Rows'],
  query: () => ['Rows', '--count'],
  history: () => ['Rows', 'K1'],
  restore: () => ['Rows', '--as-of', '1', '--key', 'K1', '--yes'],
  search: () => ['K1'],
  batches: () => [],
  undo: () => [ids['Undone']!, '--yes'],
  'proposals list': () => [],
  'proposals show': () => [ids['approved']!],
  'proposals compare': () => [ids['approved']!],
  'proposals approve': () => [ids['approved']!, '--yes'],
  'proposals reject': () => [ids['rejected']!],
  follow: () => ['Rows', '--once'],
  import: () => ['changed.csv', '--table', 'Loaded', '--results', 'loaded'],
  diff: () => ['equal.csv', 'Synced'],
  sync: () => ['changed.csv', 'Synced', '--yes'],
  init: () => ['sap', 'sap.csv'],
  'events tail': () => ['--once'],
  'webhooks listen': () => ['--forward', receiver.url, '--once'],
  'webhooks trigger': () => ['note.created', '--forward', receiver.url],
  'keys create': () => ['--name', 'Nightly'],
  'keys list': () => [],
  'keys rotate': () => ['Nightly'],
  'keys revoke': () => ['Nightly', '--yes'],
  'policies apply': () => ['policy.yaml'],
  'policies list': () => [],
  'policies show': () => ['Readers'],
  'policies clients': () => [],
  'policies assign': () => ['Readers', atrium.caller.clientId],
  'policies withdraw': () => [atrium.caller.clientId],
  'policies delete': () => ['Readers', '--yes'],
  'audit list': () => [],
  'notes create': () => ['--title', 'Leak', '--external-id', 'leak'],
  'notes list': () => [],
  'notes show': () => [ids['note']!],
  'notes import': () => ['notes.ndjson'],
  'notes export': () => [],
  'notes update': () => ['--filter', 'title=Leak', '--set', 'status=closed'],
  'notes report': () => ['loaded'],
  'note-fields list': () => [],
  'note-fields set': () => ['fields.json'],
  api: () => ['v1/api/tours'],
  mcp: () => [],
  completion: () => ['bash'],
  logout: () => [],
};

/** Commands that need no valid credentials. */
const WITHOUT_CREDENTIALS = ['init', 'completion', 'auth token', 'logout', 'mcp', 'webhooks trigger'];

/** What else a command can do, and its exit code. `$` begins the name of an ID. */
const OTHER_OUTCOMES: [code: number, outcome: string, command: string][] = [
  [1, 'an unknown flag', 'tables --no-such-flag'],
  [1, 'a missing argument', 'get Rows'],
  [1, 'an unknown table', 'describe Absent'],
  [1, 'an unknown key', 'get Rows absent'],
  [1, 'an unknown key', 'set Rows absent weight=1'],
  [1, 'an unknown key', 'rename Rows absent other'],
  [1, 'an unknown key', 'delete Rows absent --yes'],
  [1, 'an unknown batch', 'undo 00000000-0000-4000-8000-000000000000 --yes'],
  [1, 'a file that does not exist', 'import absent.csv --table Rows'],
  [1, 'a file that does not exist', 'init sap absent.csv'],
  [1, 'no answer without a terminal', 'delete Rows K1'],
  [1, 'no answer without a terminal', 'sync equal.csv Rows'],
  [1, 'a rejected proposal', 'sync changed.csv Reviewed --yes --wait'],
  [1, 'a decided proposal', 'proposals approve $rejected --yes'],
  [1, 'a receiver that rejects the event', 'webhooks trigger note.created --forward $rejecting'],
  [1, 'a rejected request', 'api v1/api/tours/absent'],
  [2, 'a value that is not valid', 'set Rows K1 weight=heavy'],
  [2, 'a key that is not valid', 'rename Strict K1 TOO-LONG'],
  [2, 'a rejected note', 'notes create --title Noise --status absent'],
  [2, 'rejected notes', 'notes import wrong.ndjson'],
  [2, 'rejected notes', 'notes report rejections --priority high'],
  [2, 'rejected notes', 'notes import wrong.ndjson --on-error continue'],
  [2, 'rejected notes', 'notes update --filter number>0 --set status=absent'],
  [2, 'rejected rows', 'import rejected.csv --table Rows'],
  [2, 'rejected rows, the others stored', 'import rejected.csv --table Loaded --on-error continue'],
  [2, 'rejected rows', 'import rejected.csv --table Rows --dry-run'],
  [2, 'rejected rows', 'diff rejected.csv Rows'],
  [2, 'rejected rows', 'sync rejected.csv Rows --yes'],
  [2, 'rejected rows', 'sync rejected.csv Loaded --yes --on-error continue'],
  [2, 'former rows that are not valid', 'restore Strict --as-of 1 --key K0 --yes'],
  [2, 'rejected rows', 'api v2/api/workspaces/{workspaceId}/cw/bulk --input bulk.json'],
  [3, 'differences from a file', 'diff equal.csv Loaded'],
  [3, 'differences from the past', 'diff Loaded --from 1'],
  [4, 'too many deletions', 'import short.csv --table Synced --replace'],
  [4, 'too many deletions', 'import short.csv --table Synced --replace --dry-run'],
  [4, 'too many deletions', 'sync short.csv Synced --yes'],
  [4, 'too many deletions', 'sync short.csv Synced --dry-run'],
  [
    4,
    'too many deletions',
    'api v2/api/workspaces/{workspaceId}/cw/assets/Synced/items/import?mode=replace --input short.csv -H Content-Type:text/csv',
  ],
  [5, 'changes that wait', 'import changed.csv --table Reviewed'],
  [5, 'rejected rows of changes that wait', 'import rejected.csv --table Reviewed --on-error continue'],
  [5, 'changes that wait', 'sync changed.csv Reviewed --yes'],
  [5, 'a deletion that waits', 'delete Reviewed K3 --yes'],
  [5, 'an undo that waits', 'undo $Reviewed --yes'],
  [
    5,
    'a request that waits',
    'api v2/api/workspaces/{workspaceId}/cw/assets/Reviewed/items/import --input changed.csv -H Content-Type:text/csv',
  ],
  [5, 'a restoration that waits', 'restore Reviewed --as-of 1 --key K0 --yes'],
];

/** All commands that the help lists. */
async function listCommands(...parents: string[]): Promise<string[]> {
  const { stdout } = await atrium.run([...parents, '--help']);
  const [, listed = ''] = /^Commands:\n((?: .*\n)+)/m.exec(stdout) ?? [];
  const names = [...listed.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
  if (names.length === 0) return [parents.join(' ')];
  return (await Promise.all(names.map((name) => listCommands(...parents, name)))).flat();
}

it('each command ends with 0 if it succeeds, and with 1 if the credentials are rejected', async () => {
  expect((await listCommands()).toSorted()).toEqual(Object.keys(SUCCESSES).toSorted());
  ids['note'] = (await atrium.client.notes.create({ title: 'Shown' })).id;
  const rejected = new CommandLine(atrium.service, { ...atrium.caller, apiKey: unknownCredential('wsk_') });
  for (const file of ['policy.yaml', 'changed.csv', 'equal.csv', 'notes.ndjson', 'fields.json'])
    rejected.write(file, atrium.read(file));
  for (const [command, toArguments] of Object.entries(SUCCESSES)) {
    const args = [...command.split(' '), ...toArguments()];
    if (!WITHOUT_CREDENTIALS.includes(command)) {
      const { code, stderr, stdout } = await rejected.run(command === 'login' ? [command] : args);
      expect({ command, code, text: stderr + stdout }).toEqual({
        command,
        code: 1,
        text: expect.stringContaining('key'),
      });
    }
    const { code, stderr } = await atrium.run(args);
    expect({ command, code, stderr }).toMatchObject({ command, code: 0 });
  }
});

it.each(OTHER_OUTCOMES)('%s: %s of %s', async (code, _, command) => {
  const items = [{ code: 'K1', weight: 'heavy' }];
  atrium.write('bulk.json', JSON.stringify({ tables: [{ type: 'asset', name: 'Rows', items }] }));
  receiver.behavior = (response) => void response.writeHead(500).end();
  ids['rejecting'] = receiver.url;
  if (command.startsWith('notes report')) {
    await atrium.run('import rejected.csv --table Rows --results rejections');
    await atrium.client.notes.setFields([{ key: 'priority', name: 'Priority', type: 'choice', choices: ['low'] }]);
  }
  const rejection = command.includes('--wait') ? rejectNextProposal() : undefined;
  const outcome = await atrium.run(
    command.split(' ').map((word) => (word.startsWith('$') ? ids[word.slice(1)]! : word)),
  );
  await rejection;
  expect(outcome).toMatchObject({ code });
});

/** Rejects the proposal that the command waits for. */
async function rejectNextProposal(): Promise<void> {
  const list = async () =>
    await atrium.json<{ id: string; source: string }[]>('proposals', 'list', '--status', 'pending');
  const former = new Set((await list()).map(({ id }) => id));
  const [created] = await until(
    async () => (await list()).filter(({ id }) => !former.has(id)),
    ({ length }) => length > 0,
  );
  await atrium.run(['proposals', 'reject', created!.id]);
}

it('the exit codes are those of the reference and of the help', async () => {
  const text = readFileSync(join(ROOT, 'docs/reference/command-line.md'), 'utf8');
  const [, section] = /\n## Exit codes\n([\s\S]*?)\n## /.exec(text)!;
  let code = NaN;
  const rows = [...section!.matchAll(/^\| (\d*) *\| .* \| (.*) \|$/gm)].map(([, first, commands]) => {
    if (first) code = Number(first);
    return { code, commands: [...commands!.matchAll(/`([^`]+)`/g)].map(([, command]) => command!.split(' ')) };
  });
  const documented = [...new Set(rows.map((row) => row.code))];
  const { stdout } = await atrium.run('--help');
  const [, helped] = /^Exit codes: ([\s\S]*?)\n\n/m.exec(stdout)!;
  expect(documented).toEqual([0, 1, 2, 3, 4, 5, 130]);
  expect([...helped!.matchAll(/(?:^|,\s)(\d+) /g)].map(([, each]) => Number(each))).toEqual(documented);
  // 130 needs a terminal: command-line-session.e2e-spec.ts.
  expect([...new Set([0, ...OTHER_OUTCOMES.map(([each]) => each), 130])]).toEqual(documented);
  // The first test has rejected credentials.
  const outcomes = [...OTHER_OUTCOMES, [1, '', 'doctor'] as const];
  const untested = rows.flatMap((row) =>
    row.commands.filter((words) => !outcomes.some(([each, , used]) => each === row.code && isUse(used, words))),
  );
  expect(untested).toEqual([]);
  // A command with one of the other codes is in the table.
  const unlisted = OTHER_OUTCOMES.filter(
    ([each, , used]) =>
      each > 1 && !rows.some((row) => row.code === each && row.commands.some((words) => isUse(used, words))),
  );
  expect(unlisted).toEqual([]);
});

/** Is it a use of the command of the reference, such as `import --replace` or `diff FILE`? */
function isUse(used: string, words: readonly string[]): boolean {
  const given = used.split(' ');
  return words.every(
    (word, at) => /^[A-Z]+$/.test(word) || (word.startsWith('--') ? given.includes(word) : given[at] === word),
  );
}
