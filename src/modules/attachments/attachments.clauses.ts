/** SQL condition on the row `t` of a blob: an attachment references it. Others are uploads that may not be complete. */
export const IS_ATTACHED =
  'EXISTS (SELECT 1 FROM attachments a WHERE a.workspace_id = t.workspace_id AND a.sha256 = t.sha256)';
