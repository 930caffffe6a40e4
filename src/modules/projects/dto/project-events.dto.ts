import { EventType, EXAMPLE_TIME } from '../../events/event-type.decorator.js';
import { ProjectDto } from './project.dto.js';

class ProjectEventDto {
  project: ProjectDto;
}

@EventType('project.created', 'A project was created.', 'read:projects')
export class ProjectCreatedDto extends ProjectEventDto {}

@EventType('project.updated', 'A project changed.', 'read:projects')
export class ProjectUpdatedDto extends ProjectEventDto {}

@EventType('project.archived', 'A project was archived.', 'read:projects', {
  sample: { project: { archivedAt: EXAMPLE_TIME } },
})
export class ProjectArchivedDto extends ProjectEventDto {}

@EventType('project.restored', 'A project was restored.', 'read:projects')
export class ProjectRestoredDto extends ProjectEventDto {}

/** The types of events by change. */
export const PROJECT_EVENTS = {
  created: ProjectCreatedDto,
  updated: ProjectUpdatedDto,
  archived: ProjectArchivedDto,
  restored: ProjectRestoredDto,
};
