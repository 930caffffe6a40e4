import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import { InvalidRequestError } from '../../platform/http/domain-error.js';
import type { Page } from '../../platform/http/page.dto.js';
import type { AcceptedVersions } from '../../platform/http/conditional-requests.js';
import { createInBulk } from '../../records/bulk-create.js';
import type { BulkCreatedDto, BulkQueryDto } from '../../records/bulk-create.dto.js';
import { createRecordCounter, type RecordCounter, RecordCounters } from '../../records/record-counters.js';
import { buildStatusFilter } from '../../records/record-status.js';
import type { RecordInput, UpsertResult } from '../../records/record-values.js';
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
        if (floors || scenes) requireKnownFloors(tour.floors, tour.scenes);
      },
      requireOpenParent: ({ workspaceId, projectId }, field) => this.projects.getOpen([workspaceId], projectId, field),
    });
  }

  onModuleInit(): void {
    this.projects.registerCounter('tours', createRecordCounter(this.database, Tour, 'projectId'));
    this.workspaces.registerCounter('tours', createRecordCounter(this.database, Tour, 'workspaceId'));
  }

  /** Adds a count to the responses of tours. */
  registerCounter(name: keyof TourDto['counts'], counter: RecordCounter): void {
    this.counters.register(name, counter);
  }

  /**
   * Creates a tour, or updates the one with this external ID.
   *
   * @throws {NotFoundError | ArchivedError} if the project is absent or archived.
   * @throws {ParentImmutableError}
   */
  async create(caller: Principal, body: CreateTourDto, accepted: AcceptedVersions): Promise<UpsertResult<TourDto>> {
    const result = await this.records.create(() => this.toInput(caller, body), caller, accepted);
    return { ...result, record: await this.toDto(result.record) };
  }

  /** @throws {InvalidItemsError} */
  createAll(caller: Principal, items: readonly object[], { onError }: BulkQueryDto): Promise<BulkCreatedDto> {
    return createInBulk(this.database, {
      type: CreateTourDto,
      items,
      onError,
      toInput: (item) => this.toInput(caller, item),
      store: (inputs) => this.records.createAll(inputs, caller),
    });
  }

  async list(caller: Principal, { projectId, status, ...query }: ListToursDto): Promise<Page<TourDto>> {
    const workspaceIds = resolveWorkspaces(caller, query.workspaceId);
    const { archived, filter } = buildStatusFilter<Tour>(status, query.archived, (stages) => ({
      status: In(stages as TourStage[]),
    }));
    const inProject = projectId ? filter.map((each) => ({ ...each, projectId })) : filter;
    const page = await this.records.getPage(workspaceIds, { ...query, archived }, inProject);
    return { ...page, items: await this.toDtos(page.items) };
  }

  /** @throws {NotFoundError} */
  async get(caller: Principal, id: string): Promise<TourDto> {
    return this.toDto(await this.records.get(caller.workspaceIds, id));
  }

  /** The tour as the parent of another record. @throws {NotFoundError | ArchivedError} also if its project is archived. */
  getOpen(workspaceIds: readonly string[], id: string, field?: string): Promise<Tour> {
    return this.records.getOpen(workspaceIds, id, field);
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError | InvalidRequestError} */
  async change(caller: Principal, id: string, changes: ChangeTourDto, accepted: AcceptedVersions): Promise<TourDto> {
    const values = (tour: Tour) => Promise.resolve({ ...changes, ...setPublishedAt(changes, tour.publishedAt) });
    return this.toDto(await this.records.change(caller.workspaceIds, id, caller, accepted, values));
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError} */
  async archive(caller: Principal, id: string, archived: boolean, accepted: AcceptedVersions): Promise<TourDto> {
    return this.toDto(await this.records.archive(caller.workspaceIds, id, caller, accepted, archived));
  }

  private async toInput(caller: Principal, body: CreateTourDto): Promise<RecordInput<Tour>> {
    // With an external ID the tour may exist and have other floors: `validate` then checks them with the changes.
    if (body.floors || !body.externalId) requireKnownFloors(body.floors ?? [], body.scenes ?? []);
    const project = await this.projects.getOpen(caller.workspaceIds, body.projectId, 'projectId');
    const { workspaceId, id: projectId } = project;
    return { workspaceId, values: { ...body, projectId, ...setPublishedAt(body, null) } };
  }

  private async toDto(tour: Tour): Promise<TourDto> {
    return (await this.toDtos([tour]))[0]!;
  }

  private async toDtos(tours: readonly Tour[]): Promise<TourDto[]> {
    const counted = await this.counters.addCounts<Tour, TourDto['counts']>(tours);
    return counted.map((tour) => ({ ...tour, status: tour.archivedAt ? 'archived' : tour.status }));
  }
}

/** @throws {InvalidRequestError} if a scene names a floor that the tour does not have. */
function requireKnownFloors(floors: readonly Floor[], scenes: readonly Scene[]): void {
  const ids = new Set(floors.map(({ id }) => id));
  const errors = scenes.flatMap(({ floorId }, index) =>
    floorId && !ids.has(floorId)
      ? [
          {
            field: `scenes[${index}].floorId`,
            code: 'unknown_floor',
            message: `"${floorId}" is not the id of a floor of the tour. Add the floor to floors.`,
          },
        ]
      : [],
  );
  if (errors.length > 0) throw new InvalidRequestError(errors);
}

/** `publishedAt` is the time of the first publication and does not change later. */
function setPublishedAt({ status }: ChangeTourDto, publishedAt: Date | null): Partial<Tour> {
  return status === 'published' && publishedAt === null ? { publishedAt: new Date() } : {};
}
