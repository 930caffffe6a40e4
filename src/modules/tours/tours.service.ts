import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import { InvalidRequestError } from '../../platform/http/domain-error.js';
import type { Page } from '../../platform/http/page.dto.js';
import type { AcceptedVersions } from '../../platform/http/conditional-requests.js';
import { createInBulk } from '../../records/bulk-create.js';
import type { BulkQueryDto } from '../../records/bulk-create.dto.js';
import { createRecordCounter, type RecordCounter, RecordCounters } from '../../records/record-counters.js';
import type { RecordInput, UpsertResult } from '../../records/record-values.js';
import { buildStatusFilter } from '../../records/record-status.js';
import { Records } from '../../records/records.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { ProjectsService } from '../projects/projects.service.js';
import { CallerWorkspacesService } from '../workspaces/caller-workspaces.service.js';
import { ChangeTourDto, CreateTourDto, ListToursDto, TourDto } from './dto/tour.dto.js';
import { type Floor, type Scene, Tour, type TourStage } from './tour.entity.js';

@Injectable()
export class ToursService implements OnModuleInit {
  private readonly records: Records<Tour>;
  private readonly counters = new RecordCounters();

  constructor(
    private readonly database: Database,
    directory: Directory,
    private readonly projects: ProjectsService,
    private readonly workspaces: CallerWorkspacesService,
  ) {
    this.records = new Records(database, directory, {
      entity: Tour,
      kind: 'tour',
      label: 'The tour',
      searched: ['title', 'description'],
      immutable: ['projectId'],
      validate: (tour, { floors, scenes }) => {
        if (floors || scenes) requireFloors(tour.floors, tour.scenes);
      },
      requireOpenParent: ({ workspaceId, projectId }, field) => this.projects.getOpen([workspaceId], projectId, field),
    });
  }

  onModuleInit(): void {
    this.projects.registerCounter('tours', createRecordCounter(this.database, Tour, 'projectId'));
    this.workspaces.registerCounter('tours', createRecordCounter(this.database, Tour, 'workspaceId'));
  }

  /** The counter's figures are told with every tour from now on. */
  registerCounter(name: keyof TourDto['counts'], counter: RecordCounter): void {
    this.counters.register(name, counter);
  }

  /**
   * Creates a tour, or changes the one with this external id.
   *
   * @throws {NotFoundError | ArchivedError} where the project is not there for it. @throws {PlacedElsewhereError}
   */
  async create(caller: Principal, body: CreateTourDto, accepted: AcceptedVersions): Promise<UpsertResult<TourDto>> {
    const saved = await this.records.create(() => this.draftOf(caller, body), caller, accepted);
    return { ...saved, record: await this.shown(saved.record) };
  }

  /** @throws {InvalidItemsError} */
  createAll(caller: Principal, items: readonly object[], { onError }: BulkQueryDto) {
    return createInBulk(this.database, {
      type: CreateTourDto,
      items,
      onError,
      toInput: (item) => this.draftOf(caller, item),
      store: (drafts) => this.records.createAll(drafts, caller),
    });
  }

  async list(caller: Principal, { projectId, status, ...query }: ListToursDto): Promise<Page<TourDto>> {
    const workspaceIds = resolveWorkspaces(caller, query.workspaceId);
    const { archived, filter } = buildStatusFilter<Tour>(status, query.archived, (stages) => ({
      status: In(stages as TourStage[]),
    }));
    const here = projectId ? filter.map((each) => ({ ...each, projectId })) : filter;
    const page = await this.records.getPage(workspaceIds, { ...query, archived }, here);
    return { ...page, items: await this.allShown(page.items) };
  }

  /** @throws {NotFoundError} where there is none among the caller's workspaces. */
  async get(caller: Principal, id: string): Promise<TourDto> {
    return this.shown(await this.records.get(caller.workspaceIds, id));
  }

  /** The tour, to have tags in it. @throws {NotFoundError | ArchivedError} also where its project is archived. */
  getOpen(workspaceIds: readonly string[], id: string, field?: string): Promise<Tour> {
    return this.records.getOpen(workspaceIds, id, field);
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError} */
  async change(caller: Principal, id: string, changes: ChangeTourDto, accepted: AcceptedVersions): Promise<TourDto> {
    const values = (tour: Tour) => Promise.resolve({ ...changes, ...publishing(changes, tour.publishedAt) });
    return this.shown(await this.records.change(caller.workspaceIds, id, caller, accepted, values));
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError} */
  async archive(caller: Principal, id: string, archived: boolean, accepted: AcceptedVersions): Promise<TourDto> {
    return this.shown(await this.records.archive(caller.workspaceIds, id, caller, accepted, archived));
  }

  private async draftOf(caller: Principal, body: CreateTourDto): Promise<RecordInput<Tour>> {
    // The floors of one that is there already are looked at when it is changed.
    if (body.floors || !body.externalId) requireFloors(body.floors ?? [], body.scenes ?? []);
    const { workspaceId, id: projectId } = await this.projects.getOpen(
      caller.workspaceIds,
      body.projectId,
      'projectId',
    );
    return { workspaceId, values: { ...body, projectId, ...publishing(body, null) } };
  }

  private async shown(tour: Tour): Promise<TourDto> {
    return (await this.allShown([tour]))[0]!;
  }

  private async allShown(tours: readonly Tour[]): Promise<TourDto[]> {
    const counted = await this.counters.addCounts<Tour, TourDto['counts']>(tours);
    return counted.map((tour) => ({ ...tour, status: tour.archivedAt ? 'archived' : tour.status }));
  }
}

/** @throws {InvalidRequestError} where a scene is on a floor that the tour does not have. */
function requireFloors(floors: readonly Floor[], scenes: readonly Scene[]): void {
  const ids = new Set(floors.map(({ id }) => id));
  const errors = scenes.flatMap(({ floorId }, at) =>
    floorId && !ids.has(floorId)
      ? [{ field: `scenes[${at}].floorId`, code: 'unknown_floor', message: `floors has none with the id "${floorId}"` }]
      : [],
  );
  if (errors.length > 0) throw new InvalidRequestError(errors);
}

/** A condition of SQL: the tour of the row, and the tour's project, are in use. It is asked row by row, by their keys. */
export function isInOpenTour(of: string): string {
  return `(
    SELECT t.archived_at IS NULL AND p.archived_at IS NULL
      FROM tours t JOIN projects p ON p.workspace_id = t.workspace_id AND p.id = t.project_id
     WHERE t.workspace_id = ${of}.workspace_id AND t.id = ${of}.tour_id)`;
}

/** The first time that it is published is remembered. */
function publishing({ status }: ChangeTourDto, publishedAt: Date | null): Partial<Tour> {
  return status === 'published' && publishedAt === null ? { publishedAt: new Date() } : {};
}
