/** Where Terraform keeps its state, and under which key. */
import { expect, it } from 'vitest';
import { noProviderTemplate } from '#rendering/provider-template.ts';
import { emptyRoot } from '#rendering/root-module.ts';

it('the backend locks the state and leaves encryption to the bucket and its default key', () => {
  const backend = { bucket: 'artifacts', region: 'eu-central-1', key: 'terraform/team/shop/c/machines-a.tfstate' };
  const { s3 } = (emptyRoot(noProviderTemplate, [], backend).terraform as { backend: { s3: object } }).backend;
  expect(s3).toMatchObject({ ...backend, use_lockfile: true });
  // With `encrypt` Terraform asks for AES256, a key of S3’s own, whatever the bucket says.
  for (const name of ['encrypt', 'kms_key_id', 'sse_customer_key']) expect(s3).not.toHaveProperty(name);
});
