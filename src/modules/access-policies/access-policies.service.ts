import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, translateSqlState } from '../../../packages/sql/src/sql-state.js';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { AccessPolicy, Identity, WorkspaceRole } from '../../platform/security/principal.js';
import { isEqual } from '../../../packages/sql/src/stored-json.js';
import { AuditService } from '../audit/audit.service.js';
import { type AuditKind, type Change, listChanges } from '../audit/audit-log.js';
import { AccessPoliciesRepository } from './access-policies.repository.js';
import {
  InvalidPolicyError,
  MAX_POLICIES,
  PolicyInUseError,
  PolicyNameTakenError,
  PolicyNotAssignableError,
  POLICY_ERRORS,
} from './access-policies.errors.js';
import { AccessPolicyRecord } from './access-policy.entity.js';
import type { AccessPolicyDto, AccessPolicyInputDto } from './dto/access-policy.dto.js';
import type { PolicyHolder, PolicySubjects } from './policy-subjects.js';
import type { PolicyRules } from './policy-rules.js';

export type { AccessPolicyInputDto };

/** Access policies: what members, clients and API keys may read and change within a workspace (ADR 0161). */
@Injectable()
export class AccessPoliciesService {
  private readonly holders: PolicyHolder[] = [];
  private subjects: PolicySubjects | undefined;

  constructor(
    private readonly database: Database,
    private readonly repository: AccessPoliciesRepository,
    private readonly audit: AuditService,
  ) {}

  registerSubjects(subjects: PolicySubjects): void {
    this.subjects = subjects;
  }

  registerHolder(holder: PolicyHolder): void {
    this.holders.push(holder);
  }

  /**
   * The caller with its policies as they are now, which are read once per request. A caller with a policy is an editor
   * at most. Without a policy no statement runs.
   */
  async resolve(caller: Identity): Promise<Identity> {
    if (!caller.memberships.some(({ policyIds }) => policyIds)) return caller;
    const memberships: WorkspaceRole[] = [];
    for (const membership of caller.memberships) memberships.push(await this.resolveMembership(membership));
    return { ...caller, memberships };
  }

  /** A policy as it is now. One that no longer exists permits nothing. */
  async find(workspaceId: string, id: string): Promise<AccessPolicy> {
    const policy = await this.repository.find(workspaceId, id);
    if (!policy) return { id, version: 0, scopes: [], rules: { tables: [] } };
    return { id, version: policy.version, scopes: policy.scopes ?? undefined, rules: policy.rules };
  }

  private async resolveMembership(membership: WorkspaceRole): Promise<WorkspaceRole> {
    const { workspaceId, role, policyIds } = membership;
    if (!policyIds) return membership;
    const policies: AccessPolicy[] = [];
    for (const id of policyIds) policies.push(await this.find(workspaceId, id));
    return { workspaceId, role: role === 'owner' ? 'editor' : role, policyIds, policies };
  }

  /** The newest first. @throws {InvalidCursorError} */
  async list(workspaceId: string, query: PageQueryDto): Promise<Page<AccessPolicyDto>> {
    const page = await this.repository.findPage(workspaceId, query);
    return { ...page, items: await this.toDtos(workspaceId, page.items) };
  }

  /** The policy with its warnings. @throws {NotFoundError} */
  async get(workspaceId: string, id: string): Promise<AccessPolicyDto> {
    const policy = await this.getRecord({ workspaceId, id });
    const warnings = (await this.subjects?.findWarnings(workspaceId, policy.rules)) ?? [];
    const [dto] = await this.toDtos(workspaceId, [policy]);
    return { ...dto!, ...(warnings.length > 0 ? { warnings } : {}) };
  }

  /** @throws {InvalidPolicyError | PolicyNameTakenError | DomainError} `too_many_policies` */
  async create(workspaceId: string, input: AccessPolicyInputDto, userId: string): Promise<AccessPolicyDto> {
    const id = uuid();
    await this.write(input.name, async () => {
      await this.repository.lockCreation(workspaceId);
      const values = await this.toValues(workspaceId, input);
      if ((await this.repository.count(workspaceId)) >= MAX_POLICIES)
        throw new DomainError(POLICY_ERRORS.too_many_policies, undefined, {
          details: { limit: MAX_POLICIES, actual: MAX_POLICIES + 1 },
        });
      await this.database
        .repository(AccessPolicyRecord)
        .insert({ workspaceId, id, ...values, createdBy: userId, updatedBy: userId });
      const changes = listPolicyChanges({}, { ...values, rules: toRules(input) });
      await this.recordChange('access_policy_created', workspaceId, { id, name: input.name }, changes);
    });
    return this.get(workspaceId, id);
  }

  /**
   * Replaces name, scopes and rules. The next request of every caller with the policy obeys them, on all instances. A
   * request without changes does not increment the version.
   *
   * @throws {NotFoundError | PreconditionFailedError | InvalidPolicyError | PolicyNameTakenError}
   */
  async replace(
    workspaceId: string,
    id: string,
    input: AccessPolicyInputDto,
    userId: string,
    accepted?: AcceptedVersions,
  ): Promise<AccessPolicyDto> {
    await this.write(input.name, async () => {
      const policy = await this.getRecord({ workspaceId, id }, true);
      requireVersion(policy, accepted);
      const values = await this.toValues(workspaceId, input);
      const { name, scopes, rules } = policy;
      if (isEqual({ name, scopes, rules }, { name: values.name, scopes: values.scopes, rules: values.rules })) return;
      const [former] = await this.show(workspaceId, [rules]);
      const changes = listPolicyChanges({ name, scopes, rules: former! }, { ...values, rules: toRules(input) });
      const version = policy.version + 1;
      await this.database
        .repository(AccessPolicyRecord)
        .save(Object.assign(policy, values, { version, updatedBy: userId }));
      await this.recordChange('access_policy_changed', workspaceId, { id, name: input.name }, changes);
    });
    return this.get(workspaceId, id);
  }

  /** @throws {NotFoundError | PreconditionFailedError | PolicyInUseError} */
  async delete(workspaceId: string, id: string, accepted?: AcceptedVersions): Promise<void> {
    await this.database.transaction(async () => {
      const policy = await this.getRecord({ workspaceId, id }, true);
      requireVersion(policy, accepted);
      let assignments = 0;
      for (const holder of this.holders) assignments += await holder.countAssignments(workspaceId, id);
      if (assignments > 0) throw new PolicyInUseError(assignments);
      await this.database.repository(AccessPolicyRecord).delete({ workspaceId, id });
      const [rules] = await this.show(workspaceId, [policy.rules]);
      const changes = listPolicyChanges({ ...policy, rules: rules! }, {});
      await this.recordChange('access_policy_deleted', workspaceId, policy, changes);
    });
  }

  /**
   * Locks a policy that is being assigned until the transaction ends, so that it is not deleted meanwhile.
   *
   * @throws {PolicyNotAssignableError} if the workspace has no such policy.
   */
  async requireAssignable(workspaceId: string, id: string): Promise<void> {
    if (!(await this.repository.lockShared(workspaceId, id)))
      throw new PolicyNotAssignableError(
        'The workspace has no access policy with this ID. Change policyId; of an archived user, before you restore it.',
      );
  }

  /** The rules of all policies of the workspace, as they are stored. */
  async listRules(workspaceId: string): Promise<PolicyRules[]> {
    return (await this.repository.listRules(workspaceId)).map(({ rules }) => rules);
  }

  /**
   * Changes how rules name what they restrict, in the open transaction. What they permit remains the same.
   *
   * @param versions 1 if callers read other names than before: `If-Match` rejects the former ones.
   */
  async rewriteRules(
    workspaceId: string,
    rewrite: (rules: PolicyRules) => PolicyRules,
    versions: 0 | 1,
  ): Promise<void> {
    for (const { id, rules } of await this.repository.listRulesLocked(workspaceId)) {
      const rewritten = rewrite(rules);
      if (rewritten !== rules) await this.repository.setRules(workspaceId, id, rewritten, versions);
    }
  }

  private async show(workspaceId: string, policies: readonly PolicyRules[]): Promise<readonly PolicyRules[]> {
    return this.subjects ? this.subjects.toShown(workspaceId, policies) : policies;
  }

  private async toDtos(workspaceId: string, policies: readonly AccessPolicyRecord[]): Promise<AccessPolicyDto[]> {
    const rules = await this.show(
      workspaceId,
      policies.map((policy) => policy.rules as PolicyRules),
    );
    return policies.map((policy, at) => toDto({ ...policy, rules: rules[at]! }));
  }

  /** @param policy its name is also a part of `reason`. */
  private recordChange(
    kind: AuditKind,
    workspaceId: string,
    { id, name }: { id: string; name: string },
    changes: readonly Change[],
  ): Promise<void> {
    const details = { policy: { id, name }, changes };
    return this.audit.record({ kind, workspaceId, reason: `${name} (${id})`, details });
  }

  private async getRecord(key: { workspaceId: string; id: string }, withLock = false): Promise<AccessPolicyRecord> {
    const lock = withLock ? { lock: { mode: 'pessimistic_write' } as const } : {};
    const policy = await this.database.repository(AccessPolicyRecord).findOne({ where: key, ...lock });
    if (!policy) throw new NotFoundError('The access policy');
    return policy;
  }

  private write(name: string, work: () => Promise<void>): Promise<void> {
    return this.database
      .transaction(work)
      .catch(translateSqlState(SQLSTATE.uniqueViolation, () => new PolicyNameTakenError(name)));
  }

  /** Call it after the locks of the policies: a table of the rules that is dropped meanwhile waits for them. */
  private async toValues(workspaceId: string, input: AccessPolicyInputDto) {
    const { name, scopes } = input;
    const rules = toRules(input);
    const errors = (await this.subjects?.check(workspaceId, rules)) ?? [];
    if (errors.length > 0) throw new InvalidPolicyError(errors);
    const stored = (await this.subjects?.toStored(workspaceId, rules)) ?? rules;
    return { name, nameKey: name.toLowerCase(), scopes: scopes ?? null, rules: stored };
  }
}

type PolicyValues = Partial<Pick<AccessPolicyRecord, 'name' | 'scopes'>> & { rules?: PolicyRules };

/** The changes of `name`, `scopes`, `tables` and `notes`. */
function listPolicyChanges(before: PolicyValues, after: PolicyValues): Change[] {
  const toAttributes = ({ name, scopes, rules }: PolicyValues) => ({
    name,
    scopes,
    tables: rules?.tables,
    notes: rules?.notes,
  });
  return listChanges(toAttributes(before), toAttributes(after));
}

function toRules({ tables, notes }: AccessPolicyInputDto): PolicyRules {
  return { ...(tables ? { tables } : {}), ...(notes ? { notes } : {}) };
}

function toDto({ id, name, version, scopes, rules, ...others }: AccessPolicyRecord): AccessPolicyDto {
  const { createdAt, createdBy, updatedAt, updatedBy } = others;
  return { id, name, version, scopes: scopes ?? undefined, ...rules, createdAt, createdBy, updatedAt, updatedBy };
}
