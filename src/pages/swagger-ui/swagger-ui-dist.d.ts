declare module 'swagger-ui-dist/absolute-path.js' {
  /** The directory with the files of Swagger UI. */
  export default function (): string;
}
