import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

const text = (example: string) => ({ required: false, type: String, example });

/** Numbers can be sent as numbers or as text. Field names match in any letter case. */
export class FunctionalLocationRecordDto {
  /** External ID. */
  @ApiProperty({ type: String, example: 'AT20-UTL' })
  TPLNR: string;

  /** Description. */
  @ApiProperty(text('Utilities'))
  PLTXT?: string;

  /** Type. */
  @ApiProperty(text('AREA'))
  EQART?: string;

  /** Number. */
  @ApiProperty(text('AT20'))
  SWERK?: string;

  /** External ID of the parent. */
  @ApiProperty(text('AT20'))
  TPLMA?: string;

  /** Description of the parent; never used as a reference. */
  @ApiProperty(text('Linz works'))
  PARENTPLTXT?: string;
}

export class EquipmentRecordDto {
  /** External ID and number. */
  @ApiProperty({ type: String, example: '000000000010004720' })
  EQUNR: string;

  /** Description. */
  @ApiProperty(text('Cooling pump'))
  EQKTX?: string;

  /** Type. */
  @ApiProperty(text('PUMP'))
  EQART?: string;

  /** External ID of the functional location. */
  @ApiProperty(text('AT20-UTL'))
  TPLNR?: string;
}

export class WorkCentreRecordDto {
  /** External ID. If it is missing or empty, `ARBPL` is the external ID. */
  @ApiProperty(text('00002010'))
  PM_WKCTR?: string;

  /** Code. */
  @ApiProperty(text('MECH-20'))
  ARBPL?: string;

  /** Site. */
  @ApiProperty(text('AT20'))
  WERKS?: string;

  /** Deletion flag: `X`, or empty. */
  @ApiProperty(text('X'))
  LVORM?: string;

  /** Description. */
  @ApiProperty(text('Mechanical workshop'))
  KTEXT?: string;
}

export class PriorityRecordDto {
  /** External ID and code. */
  @ApiProperty({ type: String, example: '1' })
  PRIOK: string;

  /** Description. */
  @ApiProperty(text('Very high'))
  PRIOKX?: string;

  /** Start time, in milliseconds. */
  @ApiProperty({ required: false, type: Number, example: 3_600_000 })
  DIFF_START_MS?: number;

  /** End time, in milliseconds. */
  @ApiProperty({ required: false, type: Number, example: 86_400_000 })
  DIFF_END_MS?: number;
}

export class CategoryRecordDto {
  /** External ID and code group. */
  @ApiProperty({ type: String, example: 'PM-01' })
  codegrp: string;

  /** Code. */
  @ApiProperty(text('0010'))
  code?: string;

  /** Catalog. */
  @ApiProperty(text('C'))
  catalog?: string;

  /** Name of the code group. */
  @ApiProperty(text('Pumps'))
  codegrp_txt?: string;

  /** Name of the code. */
  @ApiProperty(text('Bearing damaged'))
  code_txt?: string;
}

/**
 * One or more of the arrays (specification, sections 2.5 and 4.3). Only for the OpenAPI document: bodies are parsed by
 * parseLegacyBody().
 */
export class LegacyPayloadDto {
  functionalLocations?: FunctionalLocationRecordDto[];

  equipment?: EquipmentRecordDto[];

  workCentres?: WorkCentreRecordDto[];

  priorities?: PriorityRecordDto[];

  categories?: CategoryRecordDto[];
}

const ON_ERROR = ['abort', 'continue'] as const;

export class LegacyQueryDto {
  /** `abort` stores all records or none, `continue` the valid ones: 207 contains the errors of the others. */
  @ApiProperty({ required: false, enum: ON_ERROR, default: 'abort' })
  @IsOptional()
  @IsIn(ON_ERROR)
  onError: (typeof ON_ERROR)[number] = 'abort';
}

/** A valid body for the OpenAPI document. */
export const LEGACY_EXAMPLE: LegacyPayloadDto = {
  functionalLocations: [
    { TPLNR: 'AT20', PLTXT: 'Linz works', EQART: 'SITE', SWERK: 'AT20', TPLMA: '', PARENTPLTXT: '' },
    { TPLNR: 'AT20-UTL', PLTXT: 'Utilities', EQART: 'AREA', SWERK: 'AT20', TPLMA: 'AT20', PARENTPLTXT: 'Linz works' },
  ],
  equipment: [{ EQUNR: '000000000010004720', EQKTX: 'Cooling pump', EQART: 'PUMP', TPLNR: 'AT20-UTL' }],
  workCentres: [{ PM_WKCTR: '00002010', ARBPL: 'MECH-20', WERKS: 'AT20', LVORM: '', KTEXT: 'Mechanical workshop' }],
  priorities: [{ PRIOK: '1', PRIOKX: 'Very high', DIFF_START_MS: 3_600_000, DIFF_END_MS: 86_400_000 }],
  categories: [{ codegrp: 'PM-01', code: '0010', catalog: 'C', codegrp_txt: 'Pumps', code_txt: 'Bearing damaged' }],
};
