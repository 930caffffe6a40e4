import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public addresses at which providers serve the metadata of machines. All others are in private ranges. */
const METADATA = ['168.63.129.16/32'];

/** The receiver has an address to which deliveries are not sent. */
export class ForbiddenAddressError extends Error {
  constructor(address: string) {
    super(`${address} is not a public address`);
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Finds the addresses of a name, as `dns.lookup` with `all` does. */
export type Resolver = (
  hostname: string,
  options: { all: true; family?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The addresses to which the service sends requests on behalf of callers: public ones, and those that the operator allows. */
export class NetworkPolicy {
  private readonly allowed: Range[];
  private readonly metadata: Range[];

  /** @param allowedNetworks addresses or ranges in CIDR notation. */
  constructor(
    allowedNetworks: readonly string[],
    private readonly resolver: Resolver = resolve,
  ) {
    this.allowed = allowedNetworks.map(parseRange);
    this.metadata = METADATA.map(parseRange);
  }

  /** @param address IPv4 or IPv6, also an IPv4 address in IPv6 notation. */
  isAllowed(address: string): boolean {
    const parsed = ipaddr.process(address);
    if (isIn(parsed, this.allowed)) return true;
    return parsed.range() === 'unicast' && !isIn(parsed, this.metadata);
  }

  /** @throws {ForbiddenAddressError} if the host of the URL is an address that is not allowed. */
  requireAllowedHost({ hostname }: URL): void {
    const address = hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0 && !this.isAllowed(address)) throw new ForbiddenAddressError(address);
  }

  /**
   * The `lookup` of a connection: its addresses are checked here and then used, so that a name which has another address a moment
   * later does not help an attacker.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const family = options.family === 4 || options.family === 6 ? options.family : 0;
    this.resolver(hostname, { all: true, family }, (error, addresses) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const forbidden = addresses.find(({ address }) => !this.isAllowed(address));
      const [first] = addresses;
      if (forbidden || !first) callback(new ForbiddenAddressError(forbidden?.address ?? hostname), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function parseRange(text: string): Range {
  return text.includes('/')
    ? ipaddr.parseCIDR(text)
    : [ipaddr.parse(text), ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128];
}

function isIn(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}
