/** Requests to S3 in the terms of IAM. */
import type { IncomingMessage } from 'node:http';

/** The action of a request to S3, and the keys that it uses. */
export function s3Action(
  { method }: Pick<IncomingMessage, 'method'>,
  key: string,
  query: URLSearchParams,
): { readonly action: string; readonly keys: readonly string[] } {
  // Which ones are deleted is in the body.
  if (query.has('delete')) return { action: 's3:DeleteObject', keys: [] };
  const reads = method === 'GET' || method === 'HEAD';
  const prefix = query.get('prefix');
  // A listing without a prefix cannot be distinguished from the question whether an object exists.
  if (key === '') return { action: reads ? 's3:ListBucket' : 's3:CreateBucket', keys: prefix === null ? [] : [prefix] };
  if (reads) return { action: 's3:GetObject', keys: [key] };
  return { action: method === 'DELETE' && !query.has('uploadId') ? 's3:DeleteObject' : 's3:PutObject', keys: [key] };
}
