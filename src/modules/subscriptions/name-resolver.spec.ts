import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NameResolver } from './name-resolver.js';

/** Types of DNS records. */
const A = 1;

describe('the resolver of names', () => {
  let server: Socket;
  let directory: string;
  let names: NameResolver;
  let questions: number;

  beforeEach(async () => {
    questions = 0;
    server = createSocket('udp4');
    await new Promise<void>((done) => server.bind(0, '127.0.0.1', done));
    directory = mkdtempSync(join(tmpdir(), 'atrium-hosts-'));
    const hosts = join(directory, 'hosts');
    writeFileSync(
      hosts,
      '# local\n10.0.0.5 Receiver receiver.internal # comment\nfd00::5 receiver\nno-address other\n',
    );
    names = new NameResolver(hosts, [`127.0.0.1:${server.address().port}`]);
  });

  afterEach(() => {
    names.close();
    server.close();
    rmSync(directory, { recursive: true });
  });

  /** Answers questions for addresses of IPv4 with these, and for all others that there are none. */
  function answerWith(...addresses: string[]): void {
    server.on('message', (question, { port, address }) => {
      questions++;
      const type = question.readUInt16BE(question.indexOf(0, 12) + 1);
      const end = question.indexOf(0, 12) + 5;
      const found = type === A ? addresses : [];
      const header = Buffer.from(question.subarray(0, 12));
      header.writeUInt16BE(0x8180, 2);
      header.writeUInt16BE(found.length, 6);
      header.writeUInt16BE(0, 10);
      const answers = found.map((each) =>
        Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...each.split('.').map(Number)]),
      );
      server.send(Buffer.concat([header, question.subarray(12, end), ...answers]), port, address);
    });
  }

  it('returns the addresses of the hosts file without a question', async () => {
    answerWith('192.0.2.1');
    expect(await names.resolve('RECEIVER')).toEqual([
      { address: '10.0.0.5', family: 4 },
      { address: 'fd00::5', family: 6 },
    ]);
    expect(await names.resolve('receiver.internal')).toEqual([{ address: '10.0.0.5', family: 4 }]);
    expect(questions).toBe(0);
  });

  it('returns the addresses of DNS', async () => {
    answerWith('192.0.2.1', '192.0.2.2');
    expect(await names.resolve('receiver.example')).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
    ]);
  });

  it('rejects a name without an address', async () => {
    answerWith();
    await expect(names.resolve('receiver.example')).rejects.toThrow('queryA ENODATA receiver.example');
  });

  it('rejects within ten seconds if the server is silent', async () => {
    const startedAt = performance.now();
    await expect(names.resolve('receiver.example')).rejects.toThrow('queryA ETIMEOUT receiver.example');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('ends its questions when it is closed', async () => {
    const resolved = names.resolve('receiver.example');
    setTimeout(() => names.close(), 50);
    await expect(resolved).rejects.toThrow('queryA ECANCELLED receiver.example');
  });
});
