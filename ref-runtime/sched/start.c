/* The start of commands. */
#include "ref-runtime/check/fault.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/device.h"
#include "ref-runtime/sched/command.h"

bool rt_command_start(struct rt_command *command)
{
    rt_sched_record_start(command);
    if (rt_guard_svm_on())
        rt_guard_begin(NULL);
    if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0) && !command->dependencies.failed)
        rt_fault_delay(command);
    if (command->dependencies.failed || rt_command_terminated(command)) {
        rt_sched_complete(command, rt_command_terminated(command)
                                       ? CL_CONTEXT_TERMINATED_KHR
                                       : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        return false;
    }
    if (!rt_device_take_command(command->queue)) {
        rt_sched_complete(command, CL_OUT_OF_RESOURCES);
        return false;
    }
    cl_int status = command->operation->start ? command->operation->start(command) : CL_SUCCESS;
    if (status == CL_SUCCESS && command->operation->step)
        return true;
    if (status != RT_PENDING)
        rt_sched_complete(command, status);
    return false;
}
