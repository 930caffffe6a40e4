import { recordEventTypes } from '../../events/record-event-types.js';
import { ProjectDto } from './project.dto.js';

class ProjectEventDto {
  project: ProjectDto;
}

export const PROJECT_EVENTS = recordEventTypes(ProjectEventDto, 'project', 'read:projects');
