/** Rules in addition to those of Swagger UI: compact parameters, and colors for dark mode. */
export const PAGE_STYLE = `
html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; }
html.dark-mode body { background: #1c2022; }
.page-header { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; max-width: 1460px; margin: 0 auto; padding: 12px 16px; border-bottom: 1px solid #d8dde7; font: 15px/1.4 sans-serif; color: #1f2430; }
.page-header nav { display: flex; flex-wrap: wrap; gap: 4px 16px; }
.page-header a { color: #2f5fb3; }
@media (prefers-color-scheme: dark) {
  body { background: #1c2022; }
  .page-header { border-color: #3a4047; color: #e4e6e6; }
  .page-header a { color: #8ab4f8; }
  .page-loading.page-loading { color: #e4e6e6; }
}
.page-loading { max-width: 1460px; margin: 24px auto; padding: 0 16px; font: 15px/1.4 sans-serif; color: #3b4151; }
.swagger-ui .wrapper { padding: 0 16px; }
.swagger-ui .info { margin: 24px 0 12px; }
.swagger-ui .info .description p { margin: 0 0 8px; max-width: 60em; }
.swagger-ui .scheme-container { margin: 0 0 16px; padding: 12px 0; box-shadow: none; border-bottom: 1px solid #d8dde7; background: none; }
.page-panel { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; padding: 4px 0 12px; font: 14px/1.4 sans-serif; color: #3b4151; }
.page-panel p { margin: 0; }
.page-panel[data-state=ended] { position: fixed; inset: 0 0 auto; z-index: 5; padding: 8px 16px; border-bottom: 2px solid #b3261e; background: #fafafa; }
body:has(.page-panel[data-state=ended]) { padding-top: 6rem; }
.dark-mode .page-panel[data-state=ended] { background: #1c2022; border-color: #f2b8b5; }
.swagger-ui .dialog-ux .change-identity { margin: 0 0 8px; }
.swagger-ui .page-panel select, .page-panel select { margin: 0 4px; padding: 4px 36px 4px 8px; }
.dark-mode .page-panel, .dark-mode .swagger-ui .page-panel label { color: #e4e6e6; }
.swagger-ui .demo-button { margin: 0; }
.swagger-ui .filter { display: block; width: 100%; max-width: none; padding: 0 16px; }
.swagger-ui .filter .operation-filter-input { width: 100%; max-width: none; margin: 8px 0; padding: 8px; border: 1px solid #8c8c8c; font-size: 14px; }
.swagger-ui .opblock.opblock-deprecated { opacity: 1; }
html .swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #5c6370; }
.swagger-ui .no-matches { margin: 16px; font: 15px/1.4 sans-serif; color: #3b4151; }
.dark-mode .swagger-ui .no-matches { color: #e4e6e6; }
.swagger-ui .error-link { margin-left: 8px; color: #2f5fb3; font-size: 12px; }
.dark-mode .swagger-ui .error-link { color: #8ab4f8; }
.swagger-ui .parameters-col_description ::placeholder { color: transparent; }
.swagger-ui .opblock-tag { padding: 8px 12px 8px 4px; font-size: 18px; }
.swagger-ui .opblock-tag small { flex: 1; font-size: 13px; padding: 0 12px; }
.swagger-ui .opblock-tag > div { flex: none; padding: 0 12px; font-size: 13px; }
.dark-mode .swagger-ui .opblock-tag a { color: #8ab4f8; }
.swagger-ui .opblock-tag small p { margin: 0; }
.swagger-ui .opblock .opblock-summary { padding: 3px 5px; }
.swagger-ui .opblock .opblock-section-header { min-height: 0; padding: 4px 16px; box-shadow: none; }
.swagger-ui .opblock-description-wrapper, .swagger-ui .opblock-external-docs-wrapper { padding: 8px 16px; margin: 0; }
.swagger-ui .opblock-description-wrapper p { margin: 0 0 6px; max-width: 70em; }
.swagger-ui .parameters-container .table-container, .swagger-ui .opblock-section-request-body .table-container { padding: 0 16px; }
.swagger-ui .parameters thead { display: none; }
.swagger-ui .parameters-container tbody, .swagger-ui .opblock-section-request-body .table-container tbody {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 4px 24px; max-height: 56vh; overflow: auto;
}
.swagger-ui .parameters-container tr, .swagger-ui .opblock-section-request-body .table-container tr { display: block; padding: 4px 0; }
.swagger-ui table.parameters tr td, .swagger-ui .opblock-section-request-body .table-container tr td { display: block; margin: 0; padding: 0; width: auto; max-width: none; min-width: 0; }
.swagger-ui .parameters-col_name { display: flex !important; gap: 8px; align-items: baseline; flex-wrap: wrap; }
.swagger-ui .parameter__name { font-size: 14px; padding: 0; margin: 0; }
.swagger-ui .parameter__name.required::after { padding: 0 4px; position: static; }
.swagger-ui .parameter__type { padding: 0; font-size: 11px; }
.swagger-ui .parameter__in { font-size: 11px; }
.swagger-ui .parameter__extension { display: none; }
.swagger-ui .parameters-col_description .markdown p, .swagger-ui .parameters-col_description .renderedMarkdown p { margin: 0 0 2px; font-size: 12px; line-height: 1.3; }
.swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select,
.swagger-ui .parameters-col_description textarea { margin: 2px 0; width: 100%; max-width: 34rem; padding: 4px 8px; min-height: 0; }
.swagger-ui .parameters-col_description select { padding-right: 32px; }
.swagger-ui .parameters-col_description textarea { height: 60px; }
.swagger-ui .parameters-col_description input[type=file] { border: none; padding: 4px 0; }
.swagger-ui .id-field { display: flex; flex-wrap: wrap; gap: 0 8px; max-width: 34rem; }
.swagger-ui .id-field > select { flex: 1 1 12rem; }
.swagger-ui .id-field > button { flex: none; margin: 2px 0; padding: 4px 8px; border: 1px solid #8c8c8c; border-radius: 4px; background: none; color: inherit; cursor: pointer; }
.swagger-ui .id-field > p { flex-basis: 100%; margin: 2px 0; color: #b3261e; }
.dark-mode .swagger-ui .id-field > button { color: #e4e6e6; }
.dark-mode .swagger-ui .id-field > p { color: #f2b8b5; }
.swagger-ui .body-param__text { min-height: 180px; height: 240px; }
.swagger-ui .opblock-body pre.microlight { max-height: 320px; overflow: auto; margin: 0; }
.swagger-ui .responses-inner { padding: 8px 16px; }
.swagger-ui .responses-table .response-col_links { display: none; }
.swagger-ui .responses-table .response-col_status { padding: 6px 0; }
.swagger-ui .responses-table .response-col_description { padding: 6px 0; }
.swagger-ui .responses-table .model-example { margin: 0; }
.swagger-ui .responses-table .error-response button { margin-left: 8px; padding: 0; border: none; background: none; color: #2f5fb3; font-size: 12px; cursor: pointer; text-decoration: underline; }
.dark-mode .swagger-ui .headers td { color: #e4e6e6; }
.dark-mode .swagger-ui .responses-table .error-response button { color: #8ab4f8; }
.dark-mode .swagger-ui .errors-wrapper h4, .dark-mode .swagger-ui .errors-wrapper .btn { color: #e4e6e6; }
.swagger-ui .responses-table .error-response .renderedMarkdown, .swagger-ui .responses-table .error-response .renderedMarkdown p { display: inline; font-size: 13px; }
.swagger-ui .responses-table .error-response td { padding: 4px 0; }
.swagger-ui .responses-table .response-controls { padding: 0; }
.swagger-ui .response-col_description__inner p { margin: 0; }
.swagger-ui .modal-ux-content > .auth-container, .swagger-ui .auth-container > form { display: block; }
.swagger-ui .modal-ux-content > div > .auth-container { display: flex; flex-direction: column; }
/* The text of Swagger UI demands scopes, which are optional. */
.swagger-ui .dialog-ux .scope-def { display: none; }
.swagger-ui .dialog-ux .modal-ux .auth-container .demo-button { margin: 0 0 16px; }
.swagger-ui .dialog-ux .modal-ux-content { max-height: calc(92vh - 48px); }
.swagger-ui .auth-container .scopes { max-height: 168px; overflow: auto; }
.swagger-ui .auth-container .scopes h2 { font-size: 13px; }
/* Colors with a contrast of at least 4.5. */
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #18794e; }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1f63b5; }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #a85800; }
html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #0b7a6b; }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #c62828; }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #18794e; color: #18794e; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { color: #18794e; }
html:not(.dark-mode) .swagger-ui .btn.execute { border-color: #1f63b5; background: #1f63b5; }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #c62828; color: #c62828; }
html:not(.dark-mode) .swagger-ui .info a, html:not(.dark-mode) .swagger-ui .opblock-tag a, html:not(.dark-mode) .swagger-ui .scopes a { color: #2f5fb3; }
html:not(.dark-mode) .swagger-ui .info .title small { background: #5c6370; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #4d7a00; }
html:not(.dark-mode) .swagger-ui .parameter__in { color: #5f6368; }
html:not(.dark-mode) .swagger-ui .required span, html:not(.dark-mode) .swagger-ui .required::after, html:not(.dark-mode) .swagger-ui .opblock-section-header .required { color: #b3261e !important; }
html:not(.dark-mode) .swagger-ui .download-contents { background: #545d61; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .try-out__btn.cancel { border-color: #ff8a8a; color: #ff8a8a; }
.dark-mode .swagger-ui .examples-select__section-label, .dark-mode .swagger-ui .btn.change-identity { color: #e4e6e6; }
html:not(.dark-mode) .swagger-ui .opblock .renderedMarkdown code { color: #7a00d6; }
html:not(.dark-mode) .swagger-ui .response-control-media-type__accept-message, html:not(.dark-mode) .swagger-ui .response-control-media-type__accept-message code { color: #006100; }
html.dark-mode .swagger-ui .opblock.opblock-put .opblock-section-header { background: #4a2f1c; }
/* Numbers: Swagger UI writes their color into the element. */
.swagger-ui .microlight span[style*="rgb(211, 99, 99)"] { color: #ff9d9d !important; }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; padding: 0; }
  .swagger-ui .opblock-tag > div { padding: 0 12px 0 0; }
  .swagger-ui .opblock .opblock-summary-description { display: none; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 56px; padding: 6px 0; font-size: 12px; }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: 96vw; }
  .swagger-ui .info .title { font-size: 26px; }
  .swagger-ui .parameters-container tbody { max-height: 70vh; }
}
`;
