"""moto's server, with fixes for four things: three that its Step Functions gets wrong about nested and stopped executions, and one of DynamoDB.

1. moto's interpreter calls other services with the parameters as they stand in the state machine (`StateMachineArn`)
and reads answers as Step Functions shows them (`ExecutionArn`), but the two methods that translate between these and
the names of the API (`stateMachineArn`) are empty in moto 5.2.5. They are filled here with moto's own helpers.
2. StartExecution without a name gets none (AWS: a UUID), so the second one "already exists".
3. An execution that is stopped within a Map ends FAILED with an AttributeError of moto's own (AWS: ABORTED).
4. Writes of one item at the same moment all find their condition to hold (AWS: they come one after the other).
"""

import threading
import uuid

import botocore.session
from moto.dynamodb.models import DynamoDBBackend
from moto.server import main
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service import (
    StateTaskService,
)
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.backend.execution import (
    BaseExecutionWorkerCommunication,
    Execution,
)
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

MODELS = botocore.session.get_session()


def shape_of(task: StateTaskService, service: str | None, action: str | None, which: str):
    model = MODELS.get_service_model(task._get_boto_service_name(service))
    wanted = task._get_boto_service_action(action).replace("_", "").lower()
    name = next(name for name in model.operation_names if name.lower() == wanted)
    return getattr(model.operation_model(name), which)


def normalise_parameters(self, parameters, boto_service_name=None, service_action_name=None):
    shape = shape_of(self, boto_service_name, service_action_name, "input_shape")
    if shape is not None:
        self._to_boto_request(parameters, shape)


def normalise_response(self, response, boto_service_name=None, service_action_name=None):
    shape = shape_of(self, boto_service_name, service_action_name, "output_shape")
    if shape is not None:
        self._from_boto_response(response, shape)


start_execution = StepFunctionsParserBackend.start_execution


def start_named_execution(self, state_machine_arn, name=None, execution_input=None, trace_header=None):
    return start_execution(self, state_machine_arn, name or str(uuid.uuid4()), execution_input, trace_header)


stop_execution = Execution.stop
reflect_status = BaseExecutionWorkerCommunication._reflect_execution_status


def stop(self, *args, **kwargs):
    self.was_stopped = True
    stop_execution(self, *args, **kwargs)


def reflect_execution_status(self):
    reflect_status(self)
    if getattr(self.execution, "was_stopped", False):
        self.execution.exec_status = ExecutionStatus.ABORTED
        self.execution.error = self.execution.cause = None


WRITES = threading.RLock()


def one_at_a_time(write):
    def locked(*args, **kwargs):
        with WRITES:
            return write(*args, **kwargs)

    return locked


for name in ("put_item", "update_item", "delete_item", "transact_write_items"):
    setattr(DynamoDBBackend, name, one_at_a_time(getattr(DynamoDBBackend, name)))
Execution.stop = stop
BaseExecutionWorkerCommunication._reflect_execution_status = reflect_execution_status
StepFunctionsParserBackend.start_execution = start_named_execution
StateTaskService._normalise_parameters = normalise_parameters
StateTaskService._normalise_response = normalise_response

if __name__ == "__main__":
    main()
