import { ApiProperty } from '@nestjs/swagger';

const ENTITY = { type: 'object', additionalProperties: true } as never;

class EntitySetDto {
  @ApiProperty({ example: 'assets_Example_Assets' })
  name: string;

  /** The name of the table. */
  @ApiProperty({ example: 'Example Assets' })
  title: string;

  @ApiProperty({ example: 'EntitySet' })
  kind: string;

  /** Relative to the service document. */
  @ApiProperty({ example: 'assets_Example_Assets' })
  url: string;
}

export class ServiceDocumentDto {
  /** Absent with `odata.metadata=none`. */
  '@odata.context'?: string;

  @ApiProperty({ type: [EntitySetDto] })
  value: EntitySetDto[];
}

export class EntityPageDto {
  /** Absent with `odata.metadata=none`. */
  '@odata.context'?: string;

  /** With `$count=true`, on the first page: the number of entities on all pages. */
  @ApiProperty({ type: 'integer', required: false })
  '@odata.count'?: number;

  @ApiProperty({ type: 'array', items: ENTITY })
  value: object[];

  /** The URL of the next page. Absent on the last page. */
  '@odata.nextLink'?: string;

  /** On the last page, with `Prefer: odata.track-changes`: the URL of later changes. */
  '@odata.deltaLink'?: string;
}

/** The properties of one entity. */
export class SingleEntityDto {
  /** Absent with `odata.metadata=none`. */
  '@odata.context'?: string;
}

class ODataErrorDetailDto {
  @ApiProperty({ example: 'invalid_odata_query' })
  code: string;

  message: string;

  /** The query option. */
  target?: string;
}

class ODataErrorBodyDto {
  /** Stable machine-readable code. */
  @ApiProperty({ example: 'invalid_odata_query' })
  code: string;

  message: string;

  /** The query option. */
  target?: string;

  @ApiProperty({ type: [ODataErrorDetailDto] })
  details: ODataErrorDetailDto[];

  /** Contains the ID of the request. */
  @ApiProperty({ type: 'object', additionalProperties: true } as never)
  innererror: object;
}

/** An error in the form of OData. */
export class ODataErrorDto {
  error: ODataErrorBodyDto;
}
