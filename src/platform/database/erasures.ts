import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import type { EntityClass, ErasedPerson, ErasureStep, ToRowErasure } from './erased-person.js';
import { ErasuresRepository } from './erasures.repository.js';

/** The number of changed rows by table. */
export type ErasureCounts = Record<string, number>;

/** Returns further names of a user, such as those at an identity provider. */
type NameSource = (userId: string) => Promise<string[]>;

/** Erases what follows from texts. Called for each workspace, also if nothing is left to erase. @returns the counts */
type WorkspaceErasure = (
  workspaceId: string,
  person: ErasedPerson,
  step: ErasureStep,
) => Promise<ErasureCounts | undefined>;

/** SQL: which rows `t` of a table without a workspace, or with some without, are of a workspace or of the person. */
type ToOwnRows = (workspaceId: string, person: ErasedPerson, bind: (value: unknown) => string) => string;

interface RegisteredRows {
  entity: EntityClass;
  toErasure: ToRowErasure;
}

/**
 * What is stored of persons. Modules mark columns with `@NamesPersons()` and register what else they store. Each
 * step reads a limited number of rows, and changes nothing in rows that are erased: an erasure that was interrupted is
 * completed by another one.
 */
@Injectable()
export class Erasures {
  private readonly rows: RegisteredRows[] = [];
  private readonly names: (RegisteredRows & { list: NameSource })[] = [];
  private readonly workspaceErasures: WorkspaceErasure[] = [];
  private readonly ownRows: { entity: EntityClass; toCondition: ToOwnRows }[] = [];

  constructor(
    private readonly database: Database,
    private readonly repository: ErasuresRepository,
  ) {}

  /** Registers rows of a table to change or delete. */
  registerRows(entity: EntityClass, toErasure: ToRowErasure): void {
    this.rows.push({ entity, toErasure });
  }

  /** Registers names of users, and the rows with them. These rows are erased last. */
  registerNames(list: NameSource, entity: EntityClass, toErasure: ToRowErasure): void {
    this.names.push({ list, entity, toErasure });
  }

  /** Registers the rows of a marked table in which names of a workspace are replaced, too. */
  registerOwnRows(entity: EntityClass, toCondition: ToOwnRows): void {
    this.ownRows.push({ entity, toCondition });
  }

  registerWorkspaceErasure(erase: WorkspaceErasure): void {
    this.workspaceErasures.push(erase);
  }

  async listNames(userId: string): Promise<string[]> {
    const names: string[] = [];
    for (const { list } of this.names) names.push(...(await list(userId)));
    return names;
  }

  /** @param workspaceId undefined for the tables that belong to no workspace. */
  async erase(person: ErasedPerson, step: ErasureStep, workspaceId?: string): Promise<ErasureCounts> {
    const counts: ErasureCounts = {};
    const erase = async (entity: EntityClass, toErasure: ToRowErasure) => {
      const table = this.repository.describe(entity);
      if (table.isOwned !== (workspaceId !== undefined)) return;
      const changed = await this.repository.eraseRows(table, toErasure, person, step, workspaceId);
      counts[table.name] = (counts[table.name] ?? 0) + changed;
    };
    for (const entity of this.repository.listMarked())
      await erase(entity, (...args) => this.repository.toTextErasure(entity, ...args));
    for (const { entity, toErasure } of this.rows) await erase(entity, toErasure);
    if (workspaceId !== undefined)
      for (const each of this.workspaceErasures) addCounts(counts, await each(workspaceId, person, step));
    return counts;
  }

  /** Erases names that only a workspace knows in the tables that belong to no workspace. */
  async eraseOwnRows(person: ErasedPerson, step: ErasureStep, workspaceId: string): Promise<ErasureCounts> {
    const counts: ErasureCounts = {};
    for (const { entity, toCondition } of this.ownRows) {
      const table = this.repository.describe(entity);
      const toErasure: ToRowErasure = (_, bind) => {
        const erasure = this.repository.toTextErasure(entity, person, bind);
        return (
          erasure && {
            ...erasure,
            condition: `(${toCondition(workspaceId, person, bind)}) AND (${erasure.condition})`,
          }
        );
      };
      counts[table.name] = await this.repository.eraseRows(table, toErasure, person, step);
    }
    return counts;
  }

  /** Erases the rows with names, in the open transaction. */
  async eraseNames(person: ErasedPerson): Promise<ErasureCounts> {
    const counts: ErasureCounts = {};
    for (const { entity, toErasure } of this.names) {
      const table = this.repository.describe(entity);
      counts[table.name] = await this.repository.eraseRows(table, toErasure, person, (work) =>
        this.database.transaction(work),
      );
    }
    return counts;
  }
}

export function addCounts(counts: ErasureCounts, more: ErasureCounts = {}): void {
  for (const [table, count] of Object.entries(more)) counts[table] = (counts[table] ?? 0) + count;
}
