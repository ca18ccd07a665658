/** Actions in AWS that go with what handlers and adapters call. */
import { deriveUses } from '../../cdk/rights/derive-uses.ts';

export const derivedUses = await deriveUses();
export const neededBy = (uses: readonly string[]): string[] => [
  ...new Set(uses.flatMap((use) => derivedUses.actions[use] ?? [])),
];

/** What using encrypted things asks of their key. */
export function ofKey(actions: readonly string[]): readonly string[] {
  const writes = /^dynamodb:(Put|Update|Delete|BatchWrite)|^s3:PutObject$|^ssm:PutParameter$/;
  return [
    ...(actions.some((action) => /^dynamodb:|^s3:(Get|Put)Object$/.test(action))
      ? ['kms:Decrypt', 'kms:DescribeKey']
      : []),
    ...(actions.some((action) => writes.test(action)) ? ['kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'] : []),
  ];
}
