import { execFileSync } from 'node:child_process';
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Loaded before the service (`--import`). Asks the name server at SILENT_DNS, which does not answer. `dns.lookup` of a
 * name that ends with `.silent.test` occupies a thread of the process, as for a silent server: it opens a pipe that
 * nothing writes to.
 */
const server = process.env.SILENT_DNS;
const { Resolver } = dns.promises;
const { lookup } = dns;

dns.promises.Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers([server]);
  }
};

dns.lookup = (hostname, ...rest) => {
  if (!hostname.endsWith('.silent.test')) return lookup(hostname, ...rest);
  const pipe = join(tmpdir(), `atrium-silent-${process.pid}`);
  if (!fs.existsSync(pipe)) execFileSync('mkfifo', [pipe]);
  fs.open(pipe, 'r', () => undefined);
};
syncBuiltinESMExports();
