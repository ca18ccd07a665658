/** Headers as a policy of CloudFront, which has fields of its own for those about security and refuses them as others. */
import { Duration } from 'aws-cdk-lib';
import {
  HeadersFrameOption,
  HeadersReferrerPolicy,
  type ResponseHeadersPolicyProps,
  type ResponseSecurityHeadersBehavior,
} from 'aws-cdk-lib/aws-cloudfront';

const override = true;

/** Names in lower case. Throws for a value that CloudFront has no word for. */
export function headersPolicy(
  headers: Readonly<Record<string, string>>,
): Pick<ResponseHeadersPolicyProps, 'securityHeadersBehavior' | 'customHeadersBehavior'> {
  const entries = Object.entries(headers);
  const own = entries.filter(([name]) => name in secured);
  const others = entries.filter(([name]) => !(name in secured));
  return {
    securityHeadersBehavior: Object.assign({}, ...own.map(([name, value]) => secured[name]?.(value))),
    customHeadersBehavior: { customHeaders: others.map(([header, value]) => ({ header, value, override })) },
  };
}

const secured: Readonly<Record<string, (value: string) => ResponseSecurityHeadersBehavior>> = {
  'content-security-policy': (contentSecurityPolicy) => ({
    contentSecurityPolicy: { contentSecurityPolicy, override },
  }),
  'x-frame-options': (value) => ({
    frameOptions: { frameOption: HeadersFrameOption[oneOf(value, ['DENY', 'SAMEORIGIN'])], override },
  }),
  'x-content-type-options': (value) => ({ contentTypeOptions: { override: oneOf(value, ['nosniff']) === 'nosniff' } }),
  'referrer-policy': (value) => ({
    referrerPolicy: {
      referrerPolicy: oneOf(value, Object.values(HeadersReferrerPolicy)),
      override,
    },
  }),
  'strict-transport-security': (value) => {
    const [, seconds] = /^max-age=(\d+)$/.exec(value) ?? [];
    if (seconds === undefined) throw new Error(`strict-transport-security: "${value}" is not max-age alone`);
    return { strictTransportSecurity: { accessControlMaxAge: Duration.seconds(Number(seconds)), override } };
  },
};

function oneOf<Word extends string>(value: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new Error(`"${value}" is not one of ${words.join(', ')}`);
  return found;
}
