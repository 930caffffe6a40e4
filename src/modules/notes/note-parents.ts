import { Injectable } from '@nestjs/common';
import { Directory } from '../../platform/database/directory.js';
import { ProjectsService } from '../projects/projects.service.js';
import { TagsService } from '../tours/tags.service.js';
import { ToursService } from '../tours/tours.service.js';
import type { NoteInput, Reach } from './note-input.js';
import { InvalidNoteError } from './notes.errors.js';

/** What a note on the project surface is filed against. */
export interface ProjectPlace {
  workspaceId: string;
  projectId: string;
  tagId: number | null;
  tourId: string | null;
}

const NAMES = { project: 'projectId', tag: 'tagId', tour: 'tourId' } as const;

/** Finds the project, the tour and the tag that a note is filed against. */
@Injectable()
export class NoteParents {
  constructor(
    private readonly directory: Directory,
    private readonly projects: ProjectsService,
    private readonly tours: ToursService,
    private readonly tags: TagsService,
  ) {}

  /**
   * The project, tag and tour. A tag brings its project and its tour; a tour alone brings its project.
   *
   * @throws {InvalidNoteError} where one is not within reach, where they do not agree, or where none is named.
   * @throws {ArchivedError} also where what it is in is archived.
   */
  async project(reach: Reach, named: Pick<NoteInput, 'projectId' | 'tagId' | 'tourId'>): Promise<ProjectPlace> {
    const { projectId, tagId, tourId } = named;
    const tag = known(tagId) && (await this.get('tag', reach, tagId, this.tags));
    const project = known(projectId) && (await this.get('project', reach, projectId, this.projects));
    // Where a tag comes too, the tag's tour wins.
    const tour = !tag && known(tourId) && (await this.get('tour', reach, tourId, this.tours));
    const inside = tag || tour;
    if (project && inside && inside.projectId !== project.id) {
      const message = `The ${tag ? 'tag' : 'tour'} belongs to another project.`;
      throw new InvalidNoteError('projectId', 'mismatch', message);
    }
    const place = project || inside;
    if (!place) {
      const message = 'A note is filed against a project or a tag: name projectId or tagId.';
      throw new InvalidNoteError('projectId', 'project_or_tag_required', message);
    }
    return {
      workspaceId: place.workspaceId,
      projectId: inside ? inside.projectId : (project as { id: string }).id,
      tagId: tag ? tag.id : null,
      tourId: tag ? tag.tourId : tour ? tour.id : null,
    };
  }

  private async get<Id extends string | number, T>(
    kind: keyof typeof NAMES,
    reach: Reach,
    id: Id,
    places: { getOpen: (workspaceIds: readonly string[], id: Id, field: string) => Promise<T> },
  ): Promise<T> {
    const workspaceId = await this.directory.findWorkspace(kind, id);
    const reachable = workspaceId !== undefined && (reach === 'any' || reach.includes(workspaceId));
    if (!reachable) throw new InvalidNoteError(NAMES[kind], 'not_found', `There is no ${kind} with this id.`);
    return places.getOpen([workspaceId], id, NAMES[kind]);
  }
}

function known<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
