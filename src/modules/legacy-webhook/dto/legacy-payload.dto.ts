import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

/** Numbers can be sent as numbers or as text. Field names match in any letter case. */
export class FunctionalLocationRecordDto {
  /** External ID. */
  TPLNR: string;

  /** Description. */
  PLTXT?: string;

  /** Type. */
  EQART?: string;

  /** Number. */
  SWERK?: string;

  /** External ID of the parent. */
  TPLMA?: string;

  /** Description of the parent; never used as a reference. */
  PARENTPLTXT?: string;
}

export class EquipmentRecordDto {
  /** External ID and number. */
  EQUNR: string;

  /** Description. */
  EQKTX?: string;

  /** Type. */
  EQART?: string;

  /** External ID of the functional location. */
  TPLNR?: string;
}

export class WorkCentreRecordDto {
  /** External ID. If it is missing or empty, `ARBPL` is the external ID. */
  PM_WKCTR?: string;

  /** Code. */
  ARBPL?: string;

  /** Site. */
  WERKS?: string;

  /** Deletion flag: `X`, or empty. */
  LVORM?: string;

  /** Description. */
  KTEXT?: string;
}

export class PriorityRecordDto {
  /** External ID and code. */
  PRIOK: string;

  /** Description. */
  PRIOKX?: string;

  /** Start time, in milliseconds. */
  DIFF_START_MS?: number;

  /** End time, in milliseconds. */
  DIFF_END_MS?: number;
}

export class CategoryRecordDto {
  /** External ID and code group. */
  codegrp: string;

  /** Code. */
  code?: string;

  /** Catalog. */
  catalog?: string;

  /** Name of the code group. */
  codegrp_txt?: string;

  /** Name of the code. */
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
  /** `abort` stores all or nothing; `continue` stores the valid part and returns 207 with the errors of the rest. */
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
