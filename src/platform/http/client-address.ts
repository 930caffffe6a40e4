import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Unreadable addresses share one bucket, so that they do not evade the rate limit. */
const UNKNOWN = 'unknown';

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/**
 * The address by which requests are counted. Express evaluates `X-Forwarded-For` by TRUST_PROXY. A closed connection
 * has no address.
 */
export function clientAddress({ ip }: Pick<Request, 'ip'>): string {
  return addressGroup(ip ?? '');
}

/** IPv4 by address, including IPv4-mapped IPv6; other IPv6 by /64, the usual allocation of one customer. */
export function addressGroup(text: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  const [address] = (bracketed ?? plain ?? text).split('%') as [string];
  if (isIP(address) === 0) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.map((part, at) => (at < 4 ? part : 0));
  return `${new ipaddr.IPv6(network).toString()}/64`;
}
