import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ATRIUM, CommandLine } from '../support/command-line.js';
import { shareService } from '../support/shared-services.js';

let atrium: CommandLine;

beforeAll(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
  await atrium.fill('Pumps', [{ code: 'P-1', weight: 80 }]);
});

describe('atrium mcp', () => {
  it('connects an assistant on the machine with the credentials of the profile', async () => {
    const env = atrium.environment as Record<string, string>;
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [ATRIUM, 'mcp'],
      env,
      cwd: atrium.directory,
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('query_rows');
    const calls = ['P-1', 'P-2'].map((key) =>
      client.callTool({ name: 'get_row', arguments: { table: 'assets/Pumps', key } }),
    );
    const [found, absent] = await Promise.all(calls);
    expect(found!.structuredContent).toMatchObject({ row: { code: 'P-1', weight: 80 } });
    expect(absent!.isError).toBe(true);
    await client.close();
  });

  it('answers each message with its ID if the service is not reached or rejects it', async () => {
    const message = (id?: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;
    const input = `${message(1)}\n${message()}not JSON\n`;
    const byId = (stdout: string) => {
      const answers = stdout.trimEnd().split('\n');
      return answers.map((each) => JSON.parse(each) as { id: unknown }).sort((a, b) => Number(b.id) - Number(a.id));
    };
    const unknown = new CommandLine(atrium.service, { ...atrium.caller, apiKey: 'wsk_unknown' });
    const rejected = await unknown.run(['mcp'], input);
    expect(rejected.code).toBe(0);
    // The notification has no answer.
    const error = { data: { error: 'invalid_api_key' } };
    expect(byId(rejected.stdout)).toMatchObject([
      { jsonrpc: '2.0', id: 1, error },
      { id: null, error },
    ]);
    const offline = new CommandLine({ baseUrl: 'http://127.0.0.1:9' }, atrium.caller);
    const { stdout } = await offline.run(['mcp'], input);
    expect(byId(stdout)).toMatchObject([{ id: 1 }, { id: null }]);
    const batches = await atrium.run(['mcp'], `[${message(1).trim()}]\n"x"\nnull\n{}\n`);
    expect(byId(batches.stdout).map(({ id }) => id)).toEqual([null, null, null, null]);
    const separated = await atrium.run(['mcp'], message(1).replace('"ping"', '"ping","params":{"text":"\u2028"}'));
    expect(byId(separated.stdout)).toMatchObject([{ id: 1, result: {} }]);
    const direct = await atrium.run(['mcp'], input);
    expect(byId(direct.stdout)).toMatchObject([
      { id: 1, result: {} },
      { id: null, error: { code: -32_700 } },
    ]);
  });
});
