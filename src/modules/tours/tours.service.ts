import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import type { AcceptedVersions } from '../../platform/http/conditional-requests.js';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { Principal } from '../../platform/security/principal.js';
import { ArchivableRecordService } from '../../records/archivable-record.service.js';
import type { BulkCreatedDto, BulkCreateQueryDto } from '../../records/bulk-create.dto.js';
import { createInBulk } from '../../records/bulk-create.js';
import { RecordCounters } from '../../records/record-counters.js';
import { buildStatusFilter } from '../../records/record-status.js';
import type { RecordInput, UpsertResult } from '../../records/record-values.js';
import { RecordEventsService } from '../events/record-events.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import { TOUR_EVENTS } from './dto/tour-events.dto.js';
import { ChangeTourDto, CreateTourDto, ListToursDto, TourDto } from './dto/tour.dto.js';
import { type Floor, type Scene, Tour, type TourStage } from './tour.entity.js';

@Injectable()
export class ToursService extends ArchivableRecordService<Tour, TourDto> implements OnModuleInit {
  constructor(
    database: Database,
    directory: Directory,
    private readonly projects: ProjectsService,
    private readonly counters: RecordCounters,
    private readonly events: RecordEventsService,
  ) {
    super(database, directory, {
      entity: Tour,
      kind: 'tour',
      label: 'The tour',
      searched: ['title', 'description'],
      immutable: ['projectId'],
      prepare: (values, tour) => {
        const { floors, scenes } = values;
        if (floors || scenes) requireKnownFloors(floors ?? tour?.floors ?? [], scenes ?? tour?.scenes ?? []);
        return { ...values, ...setPublishedAt(values, tour?.publishedAt ?? null) };
      },
      requireOpenParent: ({ workspaceId, projectId }, field) =>
        projects.getOpen({ workspaceIds: [workspaceId] }, projectId, field),
    });
  }

  onModuleInit(): void {
    this.counters.registerEntity('project', 'tours', Tour);
    this.counters.registerEntity('workspace', 'tours', Tour);
    this.events.register(this, 'tour', TOUR_EVENTS, { withPolicies: true });
  }

  /**
   * Creates a tour, or updates the one with this external ID.
   *
   * @throws {NotFoundError | ArchivedError} if the project is absent or archived.
   * @throws {ParentImmutableError}
   */
  async create(caller: Principal, body: CreateTourDto, accepted: AcceptedVersions): Promise<UpsertResult<TourDto>> {
    return this.upsert(() => this.toInput(caller, body), caller, accepted);
  }

  /** @throws {DomainError} `invalid_items` */
  createAll(caller: Principal, items: readonly object[], query: BulkCreateQueryDto): Promise<BulkCreatedDto> {
    return createInBulk(this.database, {
      type: CreateTourDto,
      items,
      query,
      toInput: (item) => this.toInput(caller, item),
      store: (inputs) => this.records.createAll(inputs, caller),
    });
  }

  async list(caller: Principal, { projectId, status, ...query }: ListToursDto): Promise<Page<TourDto>> {
    const { archived, filter } = buildStatusFilter<Tour>(status, query.archived, (stages) => ({
      status: In(stages as TourStage[]),
    }));
    const inProject = projectId ? filter.map((each) => ({ ...each, projectId })) : filter;
    return this.getPage(caller, { ...query, archived }, inProject);
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError | InvalidRequestError} */
  async change(caller: Principal, id: string, changes: ChangeTourDto, accepted: AcceptedVersions): Promise<TourDto> {
    return this.toDto(await this.records.change(caller, id, caller, accepted, changes));
  }

  private async toInput(caller: Principal, body: CreateTourDto): Promise<RecordInput<Tour>> {
    const project = await this.projects.getOpen(caller, body.projectId, 'projectId');
    const { workspaceId, id: projectId } = project;
    return { workspaceId, values: { ...body, projectId } };
  }

  protected async toDtos(tours: readonly Tour[], isNew = false): Promise<TourDto[]> {
    const counted = await this.counters.addCounts<Tour, TourDto['counts']>('tour', tours, isNew);
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
function setPublishedAt({ status }: Partial<Tour>, publishedAt: Date | null): Partial<Tour> {
  return status === 'published' && publishedAt === null ? { publishedAt: new Date() } : {};
}
