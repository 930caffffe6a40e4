import { Client } from 'pg';
import { findUser } from './postgres-binaries.js';
import { socketUrl } from './embedded-postgres.js';
import { findStartError, fitsSocket, parsePostmasterPid, serverArguments } from './postgres-server.js';

describe('the embedded PostgreSQL', () => {
  describe('reading postmaster.pid', () => {
    const upTo = (lines: number) =>
      ['4711', '/srv/data', '1790000000', '23456', '/srv', '', '  12345    1', 'ready   ']
        .slice(0, lines)
        .map((line) => `${line}\n`)
        .join('');

    it('parses a server that accepts connections', () => {
      expect(parsePostmasterPid(upTo(8))).toEqual({ pid: 4711, socketDir: '/srv', port: 23456, isReady: true });
    });

    it.each(['starting', 'stopping'])('parses a server that is %s', (status) => {
      expect(parsePostmasterPid(`${upTo(7)}${status}\n`)).toMatchObject({ pid: 4711, isReady: false });
    });

    it('parses a file that the server has only begun to write', () => {
      expect(parsePostmasterPid(upTo(4))).toMatchObject({ pid: 4711, socketDir: '', isReady: false });
    });

    it.each(['', '\n', 'text\n', '-4711\n'])('finds no server in %j', (text) => {
      expect(parsePostmasterPid(text)).toBeUndefined();
    });
  });

  describe('the user for PostgreSQL under root', () => {
    const passwd = [
      'root:x:0:0:root:/root:/bin/bash',
      'toor:x:0:0::/root:/bin/sh',
      'postgres-exporter:x:99:99::/:/bin/false',
      'postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash',
    ].join('\n');

    it('is found by its full name', () => {
      expect(findUser(passwd, 'postgres')).toEqual({ uid: 101, gid: 104 });
    });

    it.each(['nobody', '', 'toor'])('is not %j', (name) => {
      expect(findUser(passwd, name)).toBeUndefined();
    });
  });

  describe('the URL', () => {
    it.each(['/tmp/atrium', '/home/jo/my data, "all"/ü/50%20@:5432?#'])(
      'connects pg to the socket in %s',
      (socketDir) => {
        const url = socketUrl({ socketDir, port: 23456 }, 'a_b-c');
        const { host, port, user, password, database, ssl } = new Client({ connectionString: url });
        expect({ host, port, user, password, database, ssl }).toEqual({
          host: socketDir,
          port: 23456,
          user: 'atrium',
          password: 'a_b-c',
          database: 'atrium',
          ssl: false,
        });
        expect(URL.canParse(url)).toBe(true);
      },
    );
  });

  describe("the server's arguments", () => {
    it('disable TCP and quote the socket directory', () => {
      const args = serverArguments('/d/data', '/d, "e"', { fsync: 'on' });
      expect(args.slice(0, 2)).toEqual(['-D', '/d/data']);
      expect(args.filter((arg) => arg !== '-c').slice(2)).toEqual([
        'listen_addresses=',
        'unix_socket_directories="/d, ""e"""',
        'fsync=on',
      ]);
    });
  });

  it('creates the socket in the home only if its path is short enough', () => {
    expect(fitsSocket('/'.padEnd(74, 'x'))).toBe(true);
    expect(fitsSocket('/'.padEnd(75, 'x'))).toBe(false);
    expect(fitsSocket('/'.padEnd(50, 'ü'))).toBe(false);
  });

  describe('a server that ended during the start', () => {
    it.each([
      ['another process stopped it', 'LOG:  database system is shut down', 0],
      ['another process was faster', 'FATAL:  lock file "postmaster.pid" already exists', 1],
      ['another server is starting', 'FATAL:  lock file "postmaster.pid" is empty', 1],
      [
        'processes of a killed server remain',
        'FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use',
        1,
      ],
    ])('is launched again if %s', (_reason, lastWords, exitCode) => {
      expect(findStartError(lastWords, exitCode)).toBeUndefined();
    });

    it('is an error otherwise', () => {
      expect(findStartError('FATAL:  could not map shared memory', 1)).toBe('FATAL:  could not map shared memory');
      expect(findStartError('It ended with SIGKILL.', null)).toBe('It ended with SIGKILL.');
    });
  });
});
