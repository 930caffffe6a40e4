import type { Request, Response } from 'express';
import { currentOrigin, requestContext } from '../http/middleware.js';
import { listCallerPolicies, runWithPolicies } from './caller-policies.js';
import type { AccessPolicy } from './principal.js';

const create = (id: string): AccessPolicy => ({ id, version: 1, rules: {} });

const caller = create('caller');
const subscription = create('subscription');

/** Runs work for a request of a caller with a policy in both workspaces. */
async function runInRequest(work: () => Promise<void>): Promise<void> {
  const memberships = ['a', 'b'].map((workspaceId) => ({ workspaceId, role: 'editor', policies: [caller] }));
  const request = { headers: {}, principal: { userId: 'user' }, identity: { memberships } } as unknown as Request;
  await new Promise<void>((done, fail) => {
    requestContext(request, {} as Response, () => void work().then(done, fail));
  });
}

it('lists the policies of the caller of the request', async () => {
  await runInRequest(() => {
    expect(listCallerPolicies('a')).toEqual([caller]);
    expect(listCallerPolicies('other')).toEqual([]);
    return Promise.resolve();
  });
  expect(listCallerPolicies('a')).toEqual([]);
});

it('runs work with policies as part of no request, although a request has started it', async () => {
  await runInRequest(async () => {
    const seen = await runWithPolicies('a', [subscription], async () => {
      await Promise.resolve();
      return { a: listCallerPolicies('a'), b: listCallerPolicies('b'), origin: currentOrigin() };
    });
    expect(seen).toEqual({ a: [subscription], b: [], origin: undefined });
    expect(listCallerPolicies('a')).toEqual([caller]);
    expect(currentOrigin()?.userId).toBe('user');
  });
});
