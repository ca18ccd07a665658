/** The stack of the web console: off by default, private files, the API on the same origin, and the headers that it has everywhere. */
import { describe, expect, it } from 'vitest';
import { cacheControl, pageHeaders } from '#contracts/console-page.ts';
import { parseOptions } from '../../cdk/options.ts';
import { pathsFunction, settingsOf } from '../../cdk/stacks/console-stack.ts';
import { reviewText } from './review-text.ts';
import { installation, installationOf, resourcesOf, templateOf } from './synthesised.ts';

const options = {
  authorization: 'jwt',
  jwtIssuer: 'https://id.example/realm',
  jwtAudience: 'kubeloom',
  admins: 'user:ann',
  console: 'true',
  consoleClientId: 'kubeloom-console',
  consoleSignInOrigins: 'https://login.example',
};
const made = installationOf(options);
if (!made.console) throw new Error('there is no stack of the console');
const stack = made.console;

/** Properties of the only resource of a type. */
function propertiesOf(type: string): Readonly<Record<string, unknown>> {
  const [one, ...others] = resourcesOf(stack, type);
  if (!one || others.length > 0) throw new Error(`there is not one ${type}`);
  return one.Properties;
}

const distribution = () =>
  propertiesOf('AWS::CloudFront::Distribution').DistributionConfig as {
    readonly DefaultCacheBehavior: Readonly<Record<string, unknown>>;
    readonly CacheBehaviors: readonly Readonly<Record<string, unknown>>[];
    readonly Origins: readonly Readonly<Record<string, unknown>>[];
  };

describe('options of the console', () => {
  it('an installation has no console unless it asks for one, and its other stacks do not change with it', () => {
    expect(installation.console).toBeUndefined();
    const { console: _, consoleClientId: __, consoleSignInOrigins: ___, ...others } = options;
    const without = installationOf(others);
    for (const name of ['storage', 'pipeline', 'api', 'observability'] as const)
      expect(templateOf(made[name]).toJSON(), name).toEqual(templateOf(without[name]).toJSON());
  });

  it('a console without tokens, or without a client, is refused with what to do', () => {
    expect(() => parseOptions({ console: true })).toThrow(
      /needs authorization=jwt; with iam, `kubeloom console`[\s\S]*consoleClientId/,
    );
    expect(() => parseOptions({ consoleClientId: 'a', consoleScope: 'openid' })).toThrow(
      /2 faults[\s\S]*is for console=true only/,
    );
    expect(() => parseOptions({ ...options, consoleScope: 'profile' })).toThrow('must have `openid`');
    expect(() => parseOptions({ ...options, consoleSignInOrigins: 'https://a/path' })).toThrow('is not an origin');
  });
});

describe('the files', () => {
  it('the resources and rights of the stack console are in __snapshots__/console.txt', async () => {
    await expect(reviewText(stack)).toMatchFileSnapshot('./__snapshots__/console.txt');
  });

  it('the bucket is private, encrypted, read by this distribution alone, and emptied when the stack is deleted', () => {
    const bucket = propertiesOf('AWS::S3::Bucket');
    expect(bucket).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    });
    expect(bucket.WebsiteConfiguration).toBeUndefined();
    const { Statement } = propertiesOf('AWS::S3::BucketPolicy').PolicyDocument as {
      Statement: { Effect: string; Principal: unknown; Condition: unknown; Action: unknown }[];
    };
    const emptied = resourcesOf(stack, 'Custom::S3AutoDeleteObjects').map(({ Properties }) => Properties.BucketName);
    expect(emptied).toEqual([{ Ref: expect.stringMatching(/^Files/) }]);
    const role = { 'Fn::GetAtt': [expect.stringMatching(/^CustomS3AutoDeleteObjects.*Role/), 'Arn'] };
    expect(Statement.filter(({ Effect }) => Effect === 'Allow')).toEqual([
      expect.objectContaining({
        Principal: { AWS: role },
        Action: ['s3:DeleteObject*', 's3:GetBucket*', 's3:List*', 's3:PutBucketPolicy'],
      }),
      expect.objectContaining({
        Action: 's3:GetObject',
        Principal: { Service: 'cloudfront.amazonaws.com' },
        Condition: { StringEquals: { 'AWS:SourceArn': expect.anything() } },
      }),
    ]);
    expect(resourcesOf(stack, 'AWS::CloudFront::OriginAccessControl')).toHaveLength(1);
  });

  it('files with a hash in their names are kept for a year, the page and its settings are asked for each time', () => {
    const uploads = resourcesOf(stack, 'Custom::CDKBucketDeployment').map(({ Properties }) => Properties);
    expect(
      uploads.map(({ Include, Exclude, SystemMetadata, Prune }) => ({ Include, Exclude, SystemMetadata, Prune })),
    ).toEqual([
      {
        Include: ['assets/*'],
        Exclude: ['*'],
        SystemMetadata: { 'cache-control': cacheControl('assets/x.js') },
        Prune: false,
      },
      { Include: undefined, Exclude: ['assets/*'], SystemMetadata: { 'cache-control': 'no-cache' }, Prune: false },
    ]);
    expect(cacheControl('assets/x.js')).toContain('immutable');
  });

  it('the settings next to the page name issuer and client, and nothing secret', () => {
    expect(settingsOf(parseOptions(options))).toEqual({
      signIn: 'oidc',
      issuer: 'https://id.example/realm',
      clientId: 'kubeloom-console',
      scope: 'openid',
      token: 'access',
    });
  });
});

describe('what browsers get', () => {
  it('each answer has the headers that the console has on one machine, and the policy lets it ask only itself and the issuer', () => {
    const { SecurityHeadersConfig: own, CustomHeadersConfig: others } = propertiesOf(
      'AWS::CloudFront::ResponseHeadersPolicy',
    ).ResponseHeadersPolicyConfig as {
      readonly SecurityHeadersConfig: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      readonly CustomHeadersConfig: { readonly Items: readonly { Header: string; Value: string; Override: boolean }[] };
    };
    const wanted = pageHeaders(['https://id.example', 'https://login.example']);
    const sent = {
      'content-security-policy': own.ContentSecurityPolicy?.ContentSecurityPolicy,
      'x-frame-options': own.FrameOptions?.FrameOption,
      'x-content-type-options': own.ContentTypeOptions?.Override === true ? 'nosniff' : undefined,
      'referrer-policy': own.ReferrerPolicy?.ReferrerPolicy,
      ...Object.fromEntries(others.Items.map(({ Header, Value }) => [Header, Value])),
    };
    expect(sent).toEqual(wanted);
    expect(wanted['content-security-policy']).toContain("connect-src 'self' https://id.example https://login.example;");
    expect(own.StrictTransportSecurity).toMatchObject({ AccessControlMaxAgeSec: 31_536_000, Override: true });
    for (const one of [...Object.values(own), ...others.Items]) expect(one.Override).toBe(true);
    const { DefaultCacheBehavior, CacheBehaviors } = distribution();
    for (const behaviour of [DefaultCacheBehavior, ...CacheBehaviors])
      expect(behaviour.ResponseHeadersPolicyId).toEqual(DefaultCacheBehavior.ResponseHeadersPolicyId);
  });

  it('the API is on the same origin, over TLS, never cached, with all that the browser sends but the host', () => {
    const { CacheBehaviors, Origins, DefaultCacheBehavior } = distribution();
    expect(CacheBehaviors).toEqual([
      expect.objectContaining({
        PathPattern: '/v1/*',
        ViewerProtocolPolicy: 'https-only',
        // Managed policies of CloudFront: CachingDisabled, AllViewerExceptHostHeader.
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        AllowedMethods: expect.arrayContaining(['PUT', 'POST', 'DELETE', 'PATCH']),
      }),
    ]);
    expect(DefaultCacheBehavior).toMatchObject({
      AllowedMethods: ['GET', 'HEAD'],
      ViewerProtocolPolicy: 'redirect-to-https',
    });
    const api = Origins.find((origin) => origin.CustomOriginConfig !== undefined);
    expect(api?.CustomOriginConfig).toMatchObject({
      OriginProtocolPolicy: 'https-only',
      OriginSSLProtocols: ['TLSv1.2'],
    });
  });

  it('a directory leads to its page, and nothing else changes on the way', () => {
    const run = new Function(`${pathsFunction}; return handler;`)() as (event: { request: { uri: string } }) => {
      uri?: string;
      headers?: { location: { value: string } };
    };
    const at = (uri: string) => run({ request: { uri } });
    expect(at('/console/').uri).toBe('/console/index.html');
    for (const uri of ['/', '/console']) expect(at(uri).headers?.location.value).toBe('/console/');
    for (const uri of ['/console/assets/a.js', '/console/console.json', '/other']) expect(at(uri).uri).toBe(uri);
  });

  it('the address of the console is an output: the issuer has to know it', () => {
    const outputs = Object.values(templateOf(stack).findOutputs('*')) as {
      readonly Description?: string;
      readonly Value: unknown;
    }[];
    expect(outputs.find(({ Description }) => Description?.includes('redirect URI'))?.Value).toEqual({
      'Fn::Join': ['', ['https://', { 'Fn::GetAtt': [expect.stringMatching(/^Site/), 'DomainName'] }, '/console/']],
    });
  });
});
