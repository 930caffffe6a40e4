import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiTags } from '@nestjs/swagger';

/** A group of operations in the OpenAPI document. */
export interface ApiGroup {
  name: string;
  /** Two sentences for Swagger UI: what the operations do, and what the caller needs to know first. */
  description: string;
  /** Name of a file in `docs`, without extension. */
  guide: string;
}

/** Extension of an operation whose controller describes its group. */
export const GROUP_EXTENSION = 'x-group';

/**
 * The group of the operations of a controller, with its description. Other controllers join it with `@ApiTags(name)`.
 */
export function ApiGroup(group: ApiGroup): ClassDecorator {
  return applyDecorators(ApiTags(group.name), ApiExtension(GROUP_EXTENSION, group));
}
