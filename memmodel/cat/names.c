/* The names that a model may use without defining them [CL 3.3.4-3.3.6; Vulkan memory model appendix].
 *
 * Conventions, which every engine follows:
 * - A read-modify-write is two events, a read and a write, related by rmw.  The read carries the acquire
 *   half of the order (ACQ, or SC, else RLX), the write the release half (REL, or SC, else RLX).
 * - A compare-exchange that fails is a read with the order given for failure.
 * - Each location that the program accesses or observes has one initial write (IW), in a separate thread.
 * - A plain write carries WI; a plain read and an initial write carry no scope; fences, barriers and
 *   atomics carry the scope as written.
 * - An access that accesses of other bytes overlap in part is several events, one for each run of bytes that
 *   no access divides, in po by their addresses; of a read-modify-write, reads come before writes, and rmw
 *   relates those of the same bytes.
 * - Barriers are single events in F and CBAR with ACQ_REL as their order; where the model names BEN or BEX
 *   each is two events, the entry in REL and BEN, the exit in ACQ and BEX, in po. */
#include "memmodel/cat/cat.h"

#define SET(name, meaning)                                                                                   \
    {                                                                                                        \
        name, MM_CAT_SET, false, false, meaning                                                              \
    }
#define REL(name, rf, co, meaning)                                                                           \
    {                                                                                                        \
        name, MM_CAT_REL, rf, co, meaning                                                                    \
    }

const struct mm_cat_base mm_cat_bases[] = {
    SET("R", "reads"),
    SET("W", "writes, initial writes included"),
    SET("M", "reads and writes"),
    SET("F", "fences and barriers"),
    SET("IW", "initial writes"),
    SET("RMW", "both halves of every read-modify-write"),
    SET("A", "atomic accesses"),
    SET("ATOM", "atomic accesses"),
    SET("NA", "plain accesses other than initial writes"),
    SET("NAL", "accesses and initial writes of locations declared with a non-atomic type"),
    SET("ACQ", "order acquire or acq_rel"),
    SET("REL", "order release or acq_rel"),
    SET("ACQ_REL", "order acq_rel"),
    SET("SC", "order seq_cst"),
    SET("RLX", "order relaxed"),
    SET("WI", "scope work_item, and plain writes"),
    SET("SG", "scope sub_group"),
    SET("WG", "scope work_group"),
    SET("QF", "scope queue family"),
    SET("DV", "scope device"),
    SET("ALL", "scope all_svm_devices"),
    SET("GLOBAL", "accesses and initial writes of global memory; fences and barriers with the global flag"),
    SET("LOCAL", "accesses and initial writes of local memory; fences and barriers with the local flag"),
    SET("IMAGE", "fences and barriers with the image flag"),
    SET("CBAR", "barriers"),
    SET("BEN", "entry fences of barriers"),
    SET("BEX", "exit fences of barriers"),
    SET("HOST", "events of host threads"),
    SET("FGA", "accesses and initial writes of fine-grained SVM with atomics"),
    SET("CLMEM", "accesses of buffers: global memory that is not SVM"),
    SET("IMG", "accesses of images"),
    SET("SC0", "accesses of storage class 0"),
    SET("SC1", "accesses of storage class 1"),
    SET("SC2", "accesses of storage class 2"),
    SET("SC3", "accesses of storage class 3"),
    SET("SEMSC0", "semantics name storage class 0"),
    SET("SEMSC1", "semantics name storage class 1"),
    SET("SEMSC2", "semantics name storage class 2"),
    SET("SEMSC3", "semantics name storage class 3"),
    SET("AV", "writes that make available"),
    SET("VIS", "reads that make visible"),
    SET("SEMAV", "semantics make available"),
    SET("SEMVIS", "semantics make visible"),
    SET("AVDEVICE", "availability operations to the device domain"),
    SET("VISDEVICE", "visibility operations to the device domain"),
    SET("AVHOST", "availability operations to the host domain"),
    SET("VISHOST", "visibility operations from the host domain"),
    SET("DOMHOST", "memory domain operations from the device domain to the host domain"),
    SET("DOMDEVICE", "memory domain operations from the host domain to the device domain"),
    SET("NONPRIV", "non-private accesses, atomics included"),
    SET("COARSE", "accesses of coarse-grained SVM"),
    SET("FINE", "accesses of fine-grained SVM, with atomics or without, buffers and system"),
    SET("HOSTMEM", "accesses of memory that is the host's alone"),
    SET("POINT", "calls of the API, starts, ends and completions of commands"),
    SET("API", "calls of the API by host threads and work-items"),
    SET("START", "starts of commands"),
    SET("END", "ends of commands: all but their children is done"),
    SET("COMPLETE", "completions of commands, and of user events"),
    SET("INORDER", "points of commands of in-order queues"),
    SET("MARKER", "points of marker commands"),
    SET("CQBARRIER", "points of command-queue barriers"),
    SET("NOLIST", "points of commands without a wait list"),
    SET("FINISH", "calls of clFinish"),
    SET("WAITK", "points of commands that wait for the end of the parent kernel"),
    SET("WAITG", "points of commands that wait for the end of the parent's work-group"),
    SET("MAP", "accesses of map commands"),
    SET("MAPW", "accesses of map commands, for writing"),
    SET("UNMAP", "accesses of unmap commands"),
    REL("po", false, false, "program order, within threads"),
    REL("rf", true, false, "write to the reads that read it"),
    REL("co", false, true, "strict total order over the writes of each location, initial write first"),
    REL("fr", true, true, "rf^-1;co"),
    REL("rfe", true, false, "rf between threads"),
    REL("rfi", true, false, "rf within a thread"),
    REL("coe", false, true, "co between threads"),
    REL("coi", false, true, "co within a thread"),
    REL("fre", true, true, "fr between threads"),
    REL("fri", true, true, "fr within a thread"),
    REL("loc", false, false, "accesses of the same location, each to itself too"),
    REL("po-loc", false, false, "po & loc"),
    REL("int", false, false, "events of the same thread, each to itself too; an initial write is alone"),
    REL("ext", false, false, "events of different threads"),
    REL("id", false, false, "each event to itself"),
    REL("rmw", false, false, "read half to write half"),
    REL("ssg", false, false, "same sub-group; never initial writes"),
    REL("swg", false, false, "same work-group; never initial writes"),
    REL("sqf", false, false, "same queue family; never initial writes"),
    REL("sdv", false, false, "same device; never initial writes"),
    REL("syncbar", false, false,
        "events of the same dynamic barrier instance, each to itself too, of the work-group or sub-group "
        "that meets; where a quorum is enough, from those that make it up to all"),
    REL("vloc", false, false, "loc through the same reference; initial writes with all"),
    REL("skernel", false, false, "same kernel-instance, or one that is its descendant; never initial writes"),
    REL("ssw", false, false,
        "given system-synchronizes-with, all events of the first thread to all of the second"),
    REL("asw", false, false, "given command order, all events of the first thread to all of the second"),
    REL("enqueue", false, false, "call to the start of the command that it enqueues"),
    REL("completes", false, false, "end of a command to its completion"),
    REL("instance", false, false, "start and end of a kernel-instance to the events of its work-items"),
    REL("waitlist", false, false, "completion to the start of a command that waits for it"),
    REL("apiwait", false, false, "completion to a call that waits for it"),
    REL("query", false, false, "completion to a call that observes that the event is CL_COMPLETE"),
    REL("semaphore", false, false,
        "completion of a command that signals to the start of the one that waits for it"),
    REL("batch", false, false,
        "start of an enqueued command buffer to the starts of its commands, and their completions to its end"),
    REL("syncpoint", false, false,
        "completion of a recorded command to the start of one that waits for its sync-point, in one run"),
    REL("recording", false, false,
        "completion of a recorded command to the starts of those recorded later, in one run of their command buffer"),
    REL("rerun", false, false,
        "completion of an enqueued command buffer to the start of later runs of it, unless it was made for "
        "simultaneous use"),
    REL("qo", false, false,
        "completion of a command to the starts of later ones in its queue, and to later clFinish; in an in-order queue to "
        "the next of these alone"),
    REL("signal", false, false, "call that completes a user event to its completion"),
    REL("callback", false, false, "completion to the events of its callbacks"),
    REL("parent", false, false, "end of a kernel to the starts of the commands that its work-items enqueue"),
    REL("child", false, false, "completion of such a command to the completion of the kernel"),
    REL("unseq", false, false, "plain accesses of one expression that nothing puts in an order, one a write"),
    REL("frees", false, false, "accesses of memory to the operations that free it"),
    REL("obj", false, false, "accesses of the same memory object, each to itself too"),
    REL("extent", false, false,
        "accesses of the same bytes, as written; each to itself, and initial writes to such"),
    REL("piece", false, false,
        "different pieces of one access, which others overlap in part: one event each"),
    REL("data", false, false,
        "read to the writes whose value is computed from it; within an operation: rmw alone"),
    REL("addr", false, false, "read to the accesses whose address is computed from it"),
    REL("ctrl", false, false,
        "read to all events after a branch that is taken by it, and to the write of a compare-exchange that "
        "expects it"),
    REL("mapping", false, false, "accesses of a map command to the start of the command that unmaps"),
};
const uint32_t mm_cat_base_count = sizeof mm_cat_bases / sizeof *mm_cat_bases;
