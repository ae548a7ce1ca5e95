/* SPDX-License-Identifier: MIT */
/*
 * profile_shapes - the tables that the program of the layout `profile` is built from: categories and program types
 * as the SDK numbers them, vertices, compute sets of an operation, operations of a section of the model.
 */
#include "config.h"

#include "profile.h"

const struct pf_category pf_categories[PF_CATEGORIES] = {
	[PF_VARIABLE] = {"variable", "tensors of the program"},
	[PF_MULTIPLE] = {"multiple", "parts of several categories in one variable"},
	[PF_CONTROL_ID] = {"controlId", "numbers of programs and of syncs"},
	[PF_MESSAGE] = {"message", "data on the way within an IPU"},
	[PF_HOST_MESSAGE] = {"hostMessage", "data on the way from or to the host"},
	[PF_GLOBAL_MESSAGE] = {"globalMessage", "data on the way between IPUs"},
	[PF_REARRANGEMENT] = {"rearrangement", "data in another order"},
	[PF_OUTPUT_EDGE] = {"outputEdge", "outputs of vertices before they are exchanged"},
	[PF_CONSTANT] = {"constant", "constants of the program"},
	[PF_HOST_HEADER] = {"hostExchangePacketHeader", "headers of packets for the host"},
	[PF_GLOBAL_HEADER] = {"globalExchangePacketHeader", "headers of packets for other IPUs"},
	[PF_STACK] = {"stack", "stacks of workers and supervisor"},
	[PF_VERTEX_STATE] = {"vertexInstanceState", "instances of vertices"},
	[PF_COPY_DESCRIPTOR] = {"copyDescriptor", "what vertices that copy are told"},
	[PF_VECTOR_LIST] = {"vectorListDescriptor", "lists of vectors of vertices"},
	[PF_VERTEX_FIELD] = {"vertexFieldData", "fields of vertices that vary in size"},
	[PF_CONTROL_TABLE] = {"controlTable", "not used any more"},
	[PF_CONTROL_CODE] = {"controlCode", "code that runs programs"},
	[PF_VERTEX_CODE] = {"vertexCode", "code of vertices"},
	[PF_INTERNAL_CODE] = {"internalExchangeCode", "code of exchanges within an IPU"},
	[PF_HOST_CODE] = {"hostExchangeCode", "code of exchanges with the host"},
	[PF_GLOBAL_CODE] = {"globalExchangeCode", "code of exchanges between IPUs"},
	[PF_INSTRUMENTATION] = {"instrumentationResults", "what is measured"},
	[PF_DWARF] = {"dwarf", "for debuggers"},
	[PF_SHARED_CODE] = {"sharedCodeStorage", "not used any more"},
	[PF_SHARED_DATA] = {"sharedDataStorage", "not used any more"},
	[PF_SHARED_STATE] = {"sharedStructureState", "not used any more"},
};

const struct pf_type_def pf_types[PF_TYPES] = {
	[PF_SEQUENCE] = {1, "Sequence", NULL, false},
	[PF_EXECUTE] = {2, "OnTileExecute", "program_type_on_tile_execute", true},
	[PF_REPEAT] = {3, "Repeat", "program_type_repeat", false},
	[PF_REPEAT_WHILE] = {4, "RepeatWhile", NULL, false},
	[PF_SWITCH] = {9, "OnEveryTileSwitch", NULL, false},
	[PF_CALL] = {10, "Call", "program_type_call", false},
	[PF_DO_EXCHANGE] = {11, "DoExchange", "program_type_do_exchange", true},
	[PF_GLOBAL_EXCHANGE] = {12, "GlobalExchange", "program_type_global_exchange", true},
	[PF_STREAM_BEGIN] = {17, "StreamCopyBegin", NULL, true},
	[PF_STREAM_MID] = {18, "StreamCopyMid", "program_type_stream_copy", true},
	[PF_STREAM_END] = {19, "StreamCopyEnd", NULL, true},
	[PF_WRITE_UNDEF] = {20, "WriteUndef", NULL, false},
	[PF_SYNC] = {25, "Sync", "program_type_sync", true},
	[PF_SANS] = {27, "Sans", "program_type_sans", true},
	[PF_SYNC_ANS] = {28, "SyncAns", "program_type_sync_ans", true},
};

enum {
	V_CONV,
	V_SLIC,
	V_REDUCE,
	V_REDUCE_FINAL,
	V_COPY,
	V_MEMCPY,
	V_TRANSPOSE,
	V_CAST,
	V_MULTIPLY,
	V_ADD,
	V_EXP,
	V_GELU,
	V_NORM,
	V_DROPOUT,
	V_SLICE,
	V_UPDATE_ADD,
	V_ADAM,
	V_DUMP,
};

const struct pf_vertex pf_vertices[PF_VERTICES] = {
	[V_CONV] = {"poplin::ConvPartial1x1Out<half,float,true,false,16,4,false>", "asm", 52, 1284,
		3, 24, 8, 0, 0, 4},
	[V_SLIC] = {"poplin::ConvPartial1xNSLIC<half,float,1,4,4>", "asm", 48, 1620, 4, 16, 0, 0, 0,
		0},
	[V_REDUCE] = {"popops::Reduce<popops::ReduceAdd,float,float,false,1>", "asm", 24, 844, 2,
		16, 0, 0, 0, 0},
	[V_REDUCE_FINAL] = {"popops::ContinuousReduce<popops::ReduceAdd,float,half,false>", "asm",
		20, 388, 2, 0, 0, 0, 0, 0},
	[V_COPY] = {"poplar_rt::DstStridedCopyDA32", "asm", 12, 156, 2, 0, 0, 8, 8, 0},
	[V_MEMCPY] = {"poplar_rt::ShortMemcpy", "asm", 8, 96, 2, 0, 0, 0, 8, 0},
	[V_TRANSPOSE] = {"poplin::Transpose2DMultipleVertices<half>", "asm", 24, 596, 2, 0, 0, 0, 0,
		0},
	[V_CAST] = {"popops::Cast1DSingleWorker<float,half>", "asm", 16, 312, 2, 0, 0, 0, 0, 2},
	[V_MULTIPLY] =
		{"popops::BinaryOp1DInPlaceSupervisor<popops::expr::BinaryOpType::MULTIPLY,half>",
			"asm", 20, 428, 3, 0, 0, 0, 0, 0},
	[V_ADD] = {"popops::BinaryOp1DInPlaceSupervisor<popops::expr::BinaryOpType::ADD,half>",
		"asm", 20, 404, 3, 0, 0, 0, 0, 0},
	[V_EXP] = {"popops::UnaryOp1DInPlaceSupervisor<popops::expr::UnaryOpType::EXPONENT,half>",
		"asm", 16, 360, 2, 0, 0, 0, 0, 0},
	[V_GELU] = {"popnn::NonLinearity1DInPlace<half,popnn::NonLinearityType::GELU>", "asm", 16,
		452, 1, 0, 0, 0, 0, 0},
	[V_NORM] = {"popops::UnaryOp1D<popops::expr::UnaryOpType::VARIANCE_TO_INV_STD_DEV,half>",
		"c++", 20, 276, 2, 0, 0, 0, 0, 2},
	[V_DROPOUT] = {"poprand::BernoulliSupervisor<half>", "asm", 28, 340, 1, 0, 0, 0, 0, 0},
	[V_SLICE] = {"popops::MultiSlice<half>", "asm", 36, 508, 3, 0, 0, 0, 0, 0},
	[V_UPDATE_ADD] = {"popops::MultiUpdateAdd<half,half,false>", "asm", 40, 612, 4, 0, 0, 0, 0,
		0},
	[V_ADAM] = {"popops::ScaledAddSupervisor<half,float,half,false,false>", "asm", 60, 724, 5,
		0, 0, 0, 0, 4},
	[V_DUMP] = {"poplar_rt::InstrumentationDumpStep", "c++", 20, 468, 1, 0, 0, 0, 0, 0},
};

void
pf_vertex_uses(int64_t out[PF_USES], const struct pf_vertex *v)
{
	int64_t all = v->size + v->fields + v->list;
	int64_t edges = 4 * v->edges;

	out[PF_COPY_PTR] = v->copy;
	out[PF_DESCRIPTOR] = v->descriptor;
	out[PF_PADDING] = v->padding;
	all -= v->copy + v->padding;
	out[PF_EDGE_PTR] = ts_min_i64(edges, all / 2);
	out[PF_DATA] = all - out[PF_EDGE_PTR];
}

/* ---- compute sets of an operation: the first one makes partials, the last one has the result ---- */

enum { MATMUL, NORM, SOFTMAX, DROPOUT, GELU, ADD, GATHER, LOSS, UPDATE };

#define NO PF_NO_VERTEX
const struct pf_leaf pf_leaves[PF_KINDS][PF_LEAVES] =
	{
		[MATMUL] =
			{
				{"OnTileCopyPre", 300, V_COPY, V_MEMCPY, 4, 1},
				{"Convolve", 2600, V_CONV, V_SLIC, 2, 0},
				{"Reduce/ReduceOnTile", 420, V_REDUCE, V_REDUCE_FINAL, 6, 0},
				{"Transpose", 260, V_TRANSPOSE, NO, 3, 2},
				{"Cast", 200, V_CAST, NO, 6, 2},
			},
		[NORM] =
			{
				{"mean/Reduce", 520, V_REDUCE, NO, 6, 1},
				{"VarianceToInvStdDev", 310, V_NORM, NO, 1, 0},
				{"Op/Multiply", 700, V_MULTIPLY, NO, 1, 0},
			},
		[SOFTMAX] =
			{
				{"max/Reduce", 380, V_REDUCE, NO, 6, 2},
				{"Op/Exp", 1500, V_EXP, NO, 1, 0},
				{"sum/Reduce", 420, V_REDUCE_FINAL, NO, 6, 0},
				{"Op/Multiply", 640, V_MULTIPLY, NO, 1, 1},
			},
		[DROPOUT] =
			{
				{"bernoulli", 540, V_DROPOUT, NO, 1, 1},
				{"Op/Multiply", 360, V_MULTIPLY, NO, 1, 0},
			},
		[GELU] = {{"Nonlinearity", 1900, V_GELU, NO, 1, 0}},
		[ADD] = {{"Op/Add", 480, V_ADD, NO, 1, 0}},
		[GATHER] =
			{
				{"multiSlice", 1300, V_SLICE, NO, 3, 0},
				{"Op/Add", 240, V_ADD, NO, 1, 1},
			},
		[LOSS] =
			{
				{"LogSoftmax/Reduce", 1700, V_REDUCE_FINAL, NO, 6, 0},
				{"Nll/multiSlice", 600, V_SLICE, NO, 1, 0},
				{"Op/Subtract", 900, V_ADD, NO, 1, 1},
			},
		[UPDATE] =
			{
				{"Reduce/ReduceFinalStage", 1600, V_REDUCE_FINAL, NO, 6, 0},
				{"scaledAdd", 4300, V_ADAM, NO, 6, 0},
				{"Cast", 700, V_CAST, V_UPDATE_ADD, 6, 1},
			},
};

/* ---- operations: hidden 1,024, sequence 384, 4 sequences at a time, 16 heads; sizes in 1/100 of 2 MB ---- */

const struct pf_op pf_embedding_ops[PF_EMBEDDING_OPS] = {
	{"word_embeddings/Gather", GATHER, false, false, 260, 2980, 150, 300, 60, 1000},
	{"position_embeddings/Gather", GATHER, false, false, 120, 50, 150, 60, 20, 240},
	{"LayerNorm", NORM, true, false, 110, 2, 150, 40, 20, 900},
	{"dropout", DROPOUT, true, false, 130, 0, 75, 10, 5, 900},
};

const struct pf_op pf_layer_ops[PF_LAYER_OPS] = {
	{"attention/self/query/matMul", MATMUL, false, true, 180, 100, 150, 300, 80, 520},
	{"attention/self/key/matMul", MATMUL, false, true, 170, 100, 150, 300, 80, 500},
	{"attention/self/value/matMul", MATMUL, false, true, 190, 100, 150, 300, 80, 540},
	{"attention/self/matMul", MATMUL, false, true, 420, 0, 900, 1800, 120, 780},
	{"attention/self/softmax", SOFTMAX, true, false, 380, 0, 900, 450, 30, 780},
	{"attention/self/dropout", DROPOUT, true, false, 310, 0, 450, 60, 10, 780},
	{"attention/self/context/matMul", MATMUL, false, true, 360, 0, 150, 700, 110, 620},
	{"attention/output/dense/matMul", MATMUL, false, true, 150, 100, 150, 300, 80, 440},
	{"attention/output/LayerNorm", NORM, true, false, 100, 1, 150, 40, 20, 430},
	{"intermediate/dense/matMul", MATMUL, false, true, 640, 400, 600, 1200, 140, 940},
	{"intermediate/gelu", GELU, true, false, 290, 0, 600, 30, 20, 940},
	{"output/dense/matMul", MATMUL, false, true, 590, 400, 150, 900, 160, 860},
	{"output/dropout", DROPOUT, true, false, 90, 0, 75, 20, 5, 430},
	{"output/LayerNorm", NORM, true, false, 100, 1, 150, 40, 20, 430},
	{"output/add", ADD, false, false, 120, 0, 150, 0, 30, 380},
};

const struct pf_op pf_head_ops[PF_HEAD_OPS] = {
	{"transform/dense/matMul", MATMUL, false, true, 170, 100, 40, 260, 60, 480},
	{"transform/LayerNorm", NORM, true, false, 60, 1, 40, 20, 10, 430},
	{"decoder/matMul", MATMUL, false, true, 2100, 0, 1900, 2600, 240, 970},
	{"loss", LOSS, false, false, 880, 0, 20, 1900, 40, 700},
};

const struct pf_op pf_update_op = {"update", UPDATE, false, false, 100, 0, 0, 300, 40, 1000};
