/** The web console behind CloudFront: its files from a private bucket, and the API on the same origin. Optional. */
import { CfnOutput, Fn, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment';
import type { Construct } from 'constructs';
import { type ConsoleSettings, cacheControl, pageHeaders, settingsFile } from '#contracts/console-page.ts';
import { acceptFindings } from '../checks.ts';
import { headersPolicy } from '../constructs/headers-policy.ts';
import type { Options } from '../options.ts';

export interface ConsoleStackProps extends StackProps {
  readonly options: Options;
  readonly api: IHttpApi;
  /** The built files. */
  readonly files: ISource;
}

/** Path prefix of the files, in the bucket and in addresses. */
const prefix = 'console';

export class ConsoleStack extends Stack {
  constructor(scope: Construct, id: string, props: ConsoleStackProps) {
    super(scope, id, props);
    const { options, api } = props;
    const bucket = this.#bucket();
    const headers = this.#headers(options);
    const site = new Distribution(this, 'Site', {
      comment: `Kubeloom console: ${options.installation}`,
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
        // Caches `no-cache` responses for a second.
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: headers,
        functionAssociations: [{ function: this.#paths(), eventType: FunctionEventType.VIEWER_REQUEST }],
      },
      additionalBehaviors: {
        '/v1/*': {
          origin: new HttpOrigin(Fn.select(2, Fn.split('/', api.apiEndpoint)), {
            protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
            originSslProtocols: [OriginSslPolicy.TLS_V1_2],
          }),
          viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
          allowedMethods: AllowedMethods.ALLOW_ALL,
          cachePolicy: CachePolicy.CACHING_DISABLED,
          // The API needs its own host name, and identifies the caller by the header Authorization.
          originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
          responseHeadersPolicy: headers,
        },
      },
    });
    this.#acceptSite(site);
    this.#upload(bucket, props);
    const url = `https://${site.distributionDomainName}/${prefix}/`;
    new CfnOutput(this, 'ConsoleUrl', { value: url, description: 'The console; the redirect URI of its client' });
  }

  #bucket(): Bucket {
    const bucket = new Bucket(this, 'Files', {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // Each deployment can recreate its content; a bucket that is not empty could not be deleted.
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
    });
    const reason = 'it holds the files of the console, the same in each installation; the API logs who calls it';
    Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason });
    return bucket;
  }

  /** The headers of the console, plus the header that makes browsers always use TLS. */
  #headers(options: Options): ResponseHeadersPolicy {
    const { jwtIssuer = '', consoleSignInOrigins } = options;
    const connectTo = [...new Set([new URL(jwtIssuer).origin, ...consoleSignInOrigins])];
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: `${options.installation}-console`,
      comment: 'Kubeloom console: contracts/console-page.ts',
      ...headersPolicy({ ...pageHeaders(connectTo), 'strict-transport-security': 'max-age=31536000' }),
    });
  }

  /** A bucket has no directory index. */
  #paths(): EdgeFunction {
    return new EdgeFunction(this, 'Paths', {
      comment: 'Kubeloom console: the page of a directory',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(pathsFunction),
    });
  }

  /** Files with a hash in their names are uploaded first and stay, because an open page loads the files of its own release. */
  #upload(bucket: Bucket, { options, files }: ConsoleStackProps): void {
    const logGroup = new LogGroup(this, 'UploadLog', {
      retention: options.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Uploader', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'Kubeloom: copies the files of the console at a deployment',
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    const common = {
      destinationBucket: bucket,
      destinationKeyPrefix: prefix,
      role,
      logGroup,
      memoryLimit: 256,
      prune: false,
      retainOnDelete: false,
    };
    const lasting = new BucketDeployment(this, 'Assets', {
      ...common,
      sources: [files],
      exclude: ['*'],
      include: ['assets/*'],
      cacheControl: [CacheControl.fromString(cacheControl('assets/'))],
    });
    const page = new BucketDeployment(this, 'Page', {
      ...common,
      sources: [files, Source.jsonData(settingsFile, settingsOf(options))],
      exclude: ['assets/*'],
      cacheControl: [CacheControl.fromString(cacheControl('index.html'))],
    });
    page.node.addDependency(lasting);
    this.#acceptUploader();
    acceptFindings(
      this,
      'IAM5',
      /^(Action::s3:|Resource::.*(:\*|\/\*|\*)$)/,
      'of the bucket of the console, and to read assets in the bucket that the CDK uploads them to',
    );
  }

  /** The function of the CDK that does both uploads; CloudFormation calls it, at deployments only. */
  #acceptUploader(): void {
    const reason =
      'a function of the CDK, which chooses its runtime; CloudFormation waits for its answer and fails with it';
    const rules = [
      'AwsSolutions-L1',
      'Serverless-LambdaLatestVersion',
      'Serverless-LambdaDLQ',
      'Serverless-LambdaTracing',
    ];
    for (const child of this.node.children.filter(({ node }) => node.id.startsWith('Custom::CDKBucketDeployment')))
      for (const id of rules) Validations.of(child).acknowledge({ id, reason });
  }

  #acceptSite(site: Distribution): void {
    const reasons = {
      'AwsSolutions-CFR1': 'who may sign in is decided by the issuer, not by a country',
      'AwsSolutions-CFR2': 'the API is throttled and knows its callers; a web ACL would cost without being used',
      'AwsSolutions-CFR3': 'files of the console are the same for everyone; the API logs each call',
      'AwsSolutions-CFR4':
        'the default certificate has no minimum version; browsers that run the console speak TLS 1.3',
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(site).acknowledge({ id, reason });
  }
}

/** Settings file next to the page. */
export function settingsOf({
  jwtIssuer = '',
  consoleClientId = '',
  consoleScope,
  consoleToken,
}: Options): ConsoleSettings {
  return { signIn: 'oidc', issuer: jwtIssuer, clientId: consoleClientId, scope: consoleScope, token: consoleToken };
}

/** Code for CloudFront functions. */
export const pathsFunction = `function handler(event) {
  var request = event.request;
  if (request.uri === '/' || request.uri === '/${prefix}')
    return { statusCode: 302, statusDescription: 'Found', headers: { location: { value: '/${prefix}/' } } };
  if (request.uri === '/${prefix}/') request.uri = '/${prefix}/index.html';
  return request;
}`;
