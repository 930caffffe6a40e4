import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { Scope } from '../../platform/security/scopes.js';

/** What callers may do in a workspace whose membership, client or API key has the policy (ADR 0161). */
@Entity('access_policies')
@Unique('uq_access_policies_name', ['workspaceId', 'nameKey'])
export class AccessPolicyRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_access_policies' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_access_policies' })
  id: string;

  @Column('text')
  name: string;

  /** The name in lowercase: two policies of a workspace differ by more than letter case. */
  @Column('text')
  nameKey: string;

  /** Increases with each change. */
  @Column('integer', { default: 1 })
  version: number;

  /** Null: those of the credentials. */
  @Column('text', { array: true, nullable: true })
  scopes: Scope[] | null;

  /** `PolicyRules` */
  @Column('jsonb')
  rules: object;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column('uuid', { nullable: true })
  updatedBy: string | null;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
