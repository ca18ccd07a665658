/** The HTTP API: every route of functions/api/routes.ts, signed requests only, one function behind it. */
import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { HttpApi, HttpMethod, HttpNoneAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { type Route, routes } from '#functions/api/routes.ts';
import { ProductFunction } from '../constructs/product-function.ts';
import { grantSecrets } from '../constructs/secret-access.ts';
import type { Settings } from '../settings.ts';

export interface ApiStackProps extends StackProps {
  readonly installation: string;
  /** Environment of every function. */
  readonly settings: Settings;
  readonly table: ITableV2;
  readonly bucket: IBucket;
  readonly reconcileManifest: StateMachine;
}

export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    const router = new ProductFunction(this, 'Router', {
      file: 'api/router.ts',
      description: 'Kubeloom: the HTTP API',
      environment: Object.fromEntries(Object.entries(props.settings)),
      // API Gateway gives up after 30 seconds; the function tells the reason before that.
      timeout: Duration.seconds(29),
      memory: 1024,
    });
    props.table.grantReadWriteData(router);
    props.bucket.grantReadWrite(router);
    props.reconcileManifest.grantStartExecution(router);
    grantSecrets(this, router, { installation: props.installation, read: false });

    const api = new HttpApi(this, 'Api', {
      apiName: `${props.installation}`,
      description: 'Kubeloom',
      defaultAuthorizer: new HttpIamAuthorizer(),
    });
    const integration = new HttpLambdaIntegration('Router', router);
    for (const route of routes as readonly Route[]) {
      api.addRoutes({
        path: route.path,
        methods: [HttpMethod[route.method]],
        integration,
        ...(route.anonymous && { authorizer: new HttpNoneAuthorizer() }),
      });
    }
    new CfnOutput(this, 'Url', { value: api.apiEndpoint, description: 'Base URL of the API' });
  }
}
