import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Unreadable addresses share one bucket, so that they do not evade the rate limit. */
const UNKNOWN = 'unknown';

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/** The caller's address for logs, without the port that a proxy appended; undefined on a connection that is gone. */
export function callerAddress({ ip }: Pick<Request, 'ip'>): string | undefined {
  return ip === undefined ? undefined : removePort(ip);
}

/**
 * The address by which requests are counted. Express evaluates `X-Forwarded-For` by TRUST_PROXY. A closed connection
 * has no address.
 */
export function clientAddress({ ip }: Pick<Request, 'ip'>): string {
  return addressGroup(ip ?? '');
}

function removePort(text: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

/** IPv4 by address, including IPv4-mapped IPv6; other IPv6 by /64, the usual allocation of one customer. */
export function addressGroup(text: string): string {
  const [address] = removePort(text).split('%') as [string];
  if (isIP(address) === 0) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.map((part, at) => (at < 4 ? part : 0));
  return `${new ipaddr.IPv6(network).toString()}/64`;
}
