import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, ROOT } from './service.js';
import { until } from './until.js';

/** Path of nginx on this machine; undefined if it is not installed. */
export const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));

/** The configuration that operators copy. */
export function readConfiguration(): string {
  return readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8');
}

/** An nginx in front of the service. */
export class Nginx {
  private constructor(
    private readonly process: ChildProcess,
    private readonly dir: string,
    readonly baseUrl: string,
  ) {}

  /**
   * @param configuration that of operators, or a variant. Its ports are replaced, and it does not encrypt.
   * @param ports of the instances
   */
  static async start(configuration: string, ...ports: string[]): Promise<Nginx> {
    const dir = await mkdtemp(join(tmpdir(), 'atrium-nginx-'));
    // The processes that nginx starts have another user.
    await chmod(dir, 0o777);
    const port = await freePort();
    const server = configuration
      .replace(/^ *server 127\.0\.0\.1:300(\d)(.*)$/gm, (_, position: number, options: string) =>
        ports[position] === undefined ? '' : `server 127.0.0.1:${ports[position]}${options}`,
      )
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
      .replace(/^\s*ssl_.*$/gm, '');
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${dir}/${name};`,
    );
    const file = join(dir, 'nginx.conf');
    const main = `daemon off; worker_processes 1; pid ${dir}/pid; error_log ${dir}/error.log;`;
    await writeFile(file, `${main}\nevents {}\nhttp { access_log off; ${folders.join(' ')}\n${server}\n}\n`);
    const child = spawn(NGINX!, ['-c', file, '-p', dir, '-e', join(dir, 'error.log')], { stdio: 'ignore' });
    const nginx = new Nginx(child, dir, `http://127.0.0.1:${port}`);
    await until(async () => (await fetch(`${nginx.baseUrl}/health/live`).catch(() => undefined))?.ok);
    return nginx;
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    // Ends its workers, too.
    this.process.kill('SIGTERM');
    await ended;
    await rm(this.dir, { recursive: true });
  }
}
