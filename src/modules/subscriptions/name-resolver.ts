import { type LookupAddress, promises as dns } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** Names with fixed addresses; they precede DNS. */
const HOSTS_FILE = '/etc/hosts';

/** How long the content of the file is used, in milliseconds. */
const HOSTS_MS = 10_000;

/** Time limit of the first question to a server, in milliseconds. */
const QUESTION_MS = 1_500;

/** Questions to each server. The limit of the second one is longer. */
const QUESTIONS = 2;

/**
 * Finds the addresses of receivers without the threads of the process (ADR 0103). `dns.lookup` occupies one of the two
 * threads that Node uses for it until the name server has answered; the connections to the database need these threads,
 * too.
 */
export class NameResolver {
  private readonly dns: dns.Resolver;
  private hosts: Map<string, LookupAddress[]> = new Map();
  private hostsReadAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly hostsFile = HOSTS_FILE,
    servers?: readonly string[],
  ) {
    this.dns = new dns.Resolver({ timeout: QUESTION_MS, tries: QUESTIONS });
    if (servers) this.dns.setServers(servers);
  }

  /** Ends all questions. */
  close(): void {
    this.dns.cancel();
  }

  /**
   * The addresses in the hosts file; otherwise in DNS, IPv4 first. The name is not completed by a search domain.
   *
   * @throws Error if the name has no address, or no server answers in time.
   */
  async resolve(hostname: string): Promise<LookupAddress[]> {
    const known = this.readHosts().get(hostname.toLowerCase());
    if (known) return known;
    const [ipv4, ipv6] = await Promise.allSettled([this.dns.resolve4(hostname), this.dns.resolve6(hostname)]);
    const found = [...toAddresses(ipv4, 4), ...toAddresses(ipv6, 6)];
    if (found.length === 0) throw (ipv4 as PromiseRejectedResult).reason;
    return found;
  }

  private readHosts(): Map<string, LookupAddress[]> {
    const now = performance.now();
    if (now - this.hostsReadAt < HOSTS_MS) return this.hosts;
    this.hostsReadAt = now;
    try {
      // Synchronous, because an asynchronous read needs a thread of the process.
      this.hosts = parseHosts(readFileSync(this.hostsFile, 'utf8'));
    } catch {
      this.hosts = new Map();
    }
    return this.hosts;
  }
}

function toAddresses(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}

/** Lines such as `10.0.0.5 receiver receiver.internal # comment`. */
function parseHosts(text: string): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }]);
    }
  }
  return hosts;
}
