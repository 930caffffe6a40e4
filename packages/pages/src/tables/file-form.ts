/** How the file is written. Empty texts mean the defaults of the service. */
export interface FileForm {
  delimiter: string;
  decimal: string;
  thousands: string;
  dateFormat: string;
  timezone: string;
  charset: string;
  ignoresUnknownColumns: boolean;
  /** Of a workbook; by default its only visible sheet. */
  sheet: string | undefined;
  /** Of a workbook, from 1. */
  headerRow: number;
}
