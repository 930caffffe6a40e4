import { Injectable } from '@nestjs/common';
import { Directory } from '../../platform/database/directory.js';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { WorkspaceAccess } from '../../platform/security/principal.js';
import { requirePermitted } from '../../platform/security/workspace-access.js';
import { lookUpOnce } from '../../records/lookups.js';
import { ProjectsService } from '../projects/projects.service.js';
import { TagsService } from '../tours/tags.service.js';
import { ToursService } from '../tours/tours.service.js';
import type { NoteAccess, NoteAuthor } from './note-author.js';
import type { Note } from './note.entity.js';
import { InvalidNoteError } from './notes.errors.js';
import { PublicNotesPolicy } from './public-notes.policy.js';

/** The parents of a note, as its columns. */
export type NoteParent = Pick<Note, 'workspaceId' | 'projectId' | 'tagId' | 'tourId'>;

/** The parents that a request names. On updates, absent parents remain unchanged and null removes one. */
interface ParentInput {
  projectId?: string | null;
  tagId?: number | null;
  tourId?: string | null;
}

const FIELDS = { project: 'projectId', tag: 'tagId', tour: 'tourId' } as const;

/** Resolves the project, tour and tag that contain a note. */
@Injectable()
export class NoteParents {
  constructor(
    private readonly directory: Directory,
    private readonly projects: ProjectsService,
    private readonly tours: ToursService,
    private readonly tags: TagsService,
    private readonly policy: PublicNotesPolicy,
  ) {}

  /**
   * The parents of a new note: those that the input names, or only the workspace on the workspace routes.
   *
   * @throws {InvalidNoteError} if a parent is not found, the parents do not match, or the input names none.
   * @throws {ArchivedError} if a parent, or a record that contains it, is archived.
   * @throws {DomainError} `public_notes_off`
   */
  async resolve(author: NoteAuthor, { projectId, tagId, tourId }: ParentInput): Promise<NoteParent> {
    const { source, workspaceIds } = author;
    if (source === 'workspace') return { workspaceId: workspaceIds[0]!, projectId: null, tagId: null, tourId: null };
    if (source !== 'public') return this.load(author, { projectId, tagId });
    this.policy.requireEnabled();
    const parent = await this.loadPublic({ projectId, tagId, tourId });
    await this.policy.authorize(parent.workspaceId, parent.projectId);
    return parent;
  }

  /**
   * The parents of a note after an update, which retains the parents that the input does not name; undefined if the
   * parents remain the same. A note of an archived parent can only move to another one.
   *
   * @param resolved the parents of the same input as `resolve` returned them, if it was called before.
   * @throws {InvalidNoteError | ArchivedError | DomainError} `public_notes_off`
   */
  async resolveChange(
    { source }: NoteAuthor,
    note: Note,
    { projectId, tagId }: ParentInput,
    resolved?: NoteParent,
  ): Promise<NoteParent | undefined> {
    if (projectId === undefined && tagId === undefined) {
      await this.requireOpen(note);
      return undefined;
    }
    // A new tag implies its project, but a new project must contain the tag that the note retains.
    const named = {
      projectId: projectId === undefined && tagId === null ? note.projectId : projectId,
      tagId: tagId === undefined ? note.tagId : tagId,
    };
    const { workspaceId } = note;
    const isWithoutParent = (named.projectId ?? null) === null && named.tagId === null;
    if (isWithoutParent && note.source === 'workspace')
      return { workspaceId, projectId: null, tagId: null, tourId: null };
    if (resolved && named.tagId === (tagId ?? null)) return resolved;
    const isPublicTag = source === 'public' && isNamed(tagId);
    const parent = isPublicTag
      ? await this.loadPublic({ tagId, projectId: projectId ?? note.projectId }, { workspaceIds: [workspaceId] })
      : await this.load({ workspaceIds: [workspaceId] }, named);
    if (source === 'public' && parent.projectId !== note.projectId)
      await this.policy.authorize(workspaceId, parent.projectId);
    return parent;
  }

  /** @throws {ArchivedError} if a parent of the note, or a record that contains it, is archived. */
  requireOpen({ workspaceId, projectId, tagId, tourId }: NoteParent): Promise<unknown> {
    const access = { workspaceIds: [workspaceId] };
    return lookUpOnce(['open parent', workspaceId, projectId, tagId, tourId], async () => {
      if (tagId !== null) await this.tags.getOpen(access, tagId);
      else if (tourId !== null) await this.tours.getOpen(access, tourId);
      else if (projectId !== null) await this.projects.getOpen(access, projectId);
    });
  }

  /**
   * The parents that an anonymous caller names. Tag IDs are numbers in sequence, so a tag needs its project or tour,
   * which cannot be guessed. A tag outside of them is not found, whether it exists or not.
   */
  private async loadPublic(input: ParentInput, access: NoteAccess = ANY_WORKSPACE): Promise<NoteParent> {
    const { tagId, ...parents } = input;
    if (!isNamed(tagId)) return this.load(access, input);
    if (!isNamed(parents.projectId) && !isNamed(parents.tourId)) {
      const message = 'Without credentials, tagId needs the project or the tour of the tag. Send projectId or tourId.';
      throw new InvalidNoteError({ field: 'projectId', code: 'required', message });
    }
    const { workspaceId } = await this.load(access, parents);
    const tag = await this.tags.find(workspaceId, tagId);
    const isInside = tag && (tag.projectId === parents.projectId || tag.tourId === parents.tourId);
    if (!isInside) throw notFound('tag', tagId);
    return this.load({ workspaceIds: [workspaceId] }, { tagId });
  }

  /** A tag implies its project and tour, a tour its project. If both are named, the tag's tour takes precedence. */
  private async load(access: NoteAccess, { projectId, tagId, tourId }: ParentInput): Promise<NoteParent> {
    const tag = isNamed(tagId) ? await this.get('tag', access, tagId, this.tags) : undefined;
    const project = isNamed(projectId) ? await this.get('project', access, projectId, this.projects) : undefined;
    const tour = !tag && isNamed(tourId) ? await this.get('tour', access, tourId, this.tours) : undefined;
    const child = tag ?? tour;
    if (project && child && child.projectId !== project.id) {
      const message = `projectId is not the project of the ${tag ? 'tag' : 'tour'}. Send only ${tag ? 'tagId' : 'tourId'}.`;
      throw new InvalidNoteError({ field: 'projectId', code: 'mismatch', message });
    }
    const parent = child ?? (project && { workspaceId: project.workspaceId, projectId: project.id });
    if (!parent) {
      const message = 'A note needs a project or a tag. Send projectId or tagId.';
      throw new InvalidNoteError({ field: 'projectId', code: 'project_or_tag_required', message });
    }
    const { workspaceId } = parent;
    return {
      workspaceId,
      projectId: parent.projectId,
      tagId: tag?.id ?? null,
      tourId: tag?.tourId ?? tour?.id ?? null,
    };
  }

  private async get<Id extends string | number, T>(
    kind: keyof typeof FIELDS,
    access: NoteAccess,
    id: Id,
    service: { getOpen: (access: WorkspaceAccess, id: Id, field: string) => Promise<T> },
  ): Promise<T> {
    const toInvalid = () => notFound(kind, id);
    // In the only workspace of the caller, the record is found without the directory.
    const { workspaceIds, rejected } = access;
    const isOnly = workspaceIds !== 'any' && workspaceIds.length === 1 && !rejected;
    const workspaceId = isOnly ? workspaceIds[0] : await this.directory.findWorkspace(kind, id);
    if (workspaceId !== undefined) requirePermitted(access, workspaceId, FIELDS[kind]);
    const isAccessible = workspaceId !== undefined && (workspaceIds === 'any' || workspaceIds.includes(workspaceId));
    if (!isAccessible) throw toInvalid();
    return service.getOpen({ workspaceIds: [workspaceId] }, id, FIELDS[kind]).catch((error: unknown) => {
      throw error instanceof NotFoundError ? toInvalid() : error;
    });
  }
}

const ANY_WORKSPACE: NoteAccess = { workspaceIds: 'any' };

function isNamed<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function notFound(kind: keyof typeof FIELDS, id: string | number): InvalidNoteError {
  return new InvalidNoteError({
    field: FIELDS[kind],
    code: 'not_found',
    message: `The ${kind} "${id}" was not found. Check the ID.`,
  });
}
