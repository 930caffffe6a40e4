import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public addresses at which providers serve the metadata of machines. All others are in private ranges. */
const METADATA = ['168.63.129.16/32'];

/** The only range of public IPv6 addresses (IANA). Others, such as `::/96` with an IPv4 address in its last bits, are not routed. */
const PUBLIC_IPV6 = '2000::/3';

/** Names of this machine (RFC 6761) and of the metadata of machines of providers, with an address that they may have. */
const KNOWN_NAMES: readonly [name: RegExp, address: string][] = [
  [/(^|\.)localhost$/, '127.0.0.1'],
  [/^metadata(\.google\.internal|\.goog)?$/, '169.254.169.254'],
  [/^instance-data(\.ec2\.internal)?$/, '169.254.169.254'],
];

/** The receiver has an address to which deliveries are not sent. */
export class ForbiddenAddressError extends Error {
  constructor(address: string) {
    super(`${address} is not a public address`);
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Finds the addresses of a name. */
export interface Resolver {
  resolve(hostname: string): Promise<LookupAddress[]>;
}

/** The addresses to which the service sends requests on behalf of callers: public ones, and those that the operator allows. */
export class NetworkPolicy {
  private readonly allowed: Range[];
  private readonly metadata: Range[];
  private readonly publicIpv6 = parseRange(PUBLIC_IPV6);

  /** @param allowedNetworks addresses or ranges in CIDR notation. */
  constructor(allowedNetworks: readonly string[]) {
    this.allowed = allowedNetworks.map(parseRange);
    this.metadata = METADATA.map(parseRange);
  }

  /** @param address IPv4 or IPv6, also an IPv4 address in IPv6 notation. */
  isAllowed(address: string): boolean {
    const parsed = ipaddr.process(address);
    if (isIn(parsed, this.allowed)) return true;
    if (parsed.kind() === 'ipv6' && !isIn(parsed, [this.publicIpv6])) return false;
    return parsed.range() === 'unicast' && !isIn(parsed, this.metadata);
  }

  /** @throws {ForbiddenAddressError} if the host of the URL is an address that is not allowed, or a known name of one. */
  requireAllowedHost({ hostname }: URL): void {
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const [, address = host] = KNOWN_NAMES.find(([name]) => name.test(host)) ?? [];
    if (isIP(address) !== 0 && !this.isAllowed(address)) throw new ForbiddenAddressError(host);
  }

  /**
   * The `lookup` of a connection: its addresses are checked here and then used, so that a name which has another address a moment
   * later does not help an attacker.
   */
  createLookup(resolver: Resolver): LookupFunction {
    return (hostname, { all }, callback) => {
      const onFound = (addresses: LookupAddress[]): void => {
        const [first] = addresses;
        const forbidden = addresses.find(({ address }) => !this.isAllowed(address));
        if (forbidden || !first) callback(new ForbiddenAddressError(forbidden?.address ?? hostname), '', 0);
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      };
      resolver.resolve(hostname).then(onFound, (error: unknown) => callback(error as Error, '', 0));
    };
  }
}

function parseRange(text: string): Range {
  return text.includes('/')
    ? ipaddr.parseCIDR(text)
    : [ipaddr.parse(text), ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128];
}

function isIn(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}
