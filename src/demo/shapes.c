/* SPDX-License-Identifier: MIT */
/*
 * shapes - the tables that the demo's program is built from: program types, vertices, what
 * compute sets an operation has, what operations a section of the model has.
 */
#include "config.h"

#include "internal.h"

const struct demo_type_def demo_types[DEMO_TYPE_COUNT] = {
	[DEMO_SEQUENCE] = {"Sequence", false, false},
	[DEMO_REPEAT] = {"Repeat", false, false},
	[DEMO_REPEAT_WHILE] = {"RepeatWhile", false, false},
	[DEMO_IF] = {"If", false, false},
	[DEMO_SWITCH] = {"Switch", false, false},
	[DEMO_CALL] = {"Call", false, false},
	[DEMO_ON_TILE_EXECUTE] = {"OnTileExecute", true, true},
	[DEMO_DO_EXCHANGE] = {"DoExchange", true, true},
	[DEMO_GLOBAL_EXCHANGE] = {"GlobalExchange", true, true},
	[DEMO_STREAM_BEGIN] = {"StreamCopyBegin", true, true},
	[DEMO_STREAM_MID] = {"StreamCopyMid", true, true},
	[DEMO_STREAM_END] = {"StreamCopyEnd", true, true},
	[DEMO_SYNC] = {"Sync", true, true},
	[DEMO_SYNC_ANS] = {"SyncAns", true, true},
	[DEMO_SANS] = {"Sans", true, true},
	[DEMO_ON_EVERY_TILE_SWITCH] = {"OnEveryTileSwitch", false, false},
	[DEMO_ON_TILE_SWITCH] = {"OnTileSwitch", true, true},
	[DEMO_WRITE_UNDEF] = {"WriteUndef", true, false},
	[DEMO_BLOCK] = {"Block", false, false},
	[DEMO_COPY] = {"Copy", true, false},
	[DEMO_CROSS_REPLICA_COPY] = {"CrossReplicaCopy", true, false},
	[DEMO_ASSUME_EQUAL] = {"AssumeEqualAcrossReplicas", true, false},
};

enum {
	V_CONV,
	V_CONV_SLIC,
	V_REDUCE,
	V_REDUCE_FINAL,
	V_COPY,
	V_TRANSPOSE,
	V_CAST,
	V_BINARY,
	V_UNARY,
	V_GELU,
	V_NORM,
	V_DROPOUT,
	V_SLICE,
	V_ADAM,
};

const struct demo_vertex_def demo_vertices[DEMO_VERTEX_COUNT] = {
	[V_CONV] = {"poplin__ConvPartial1x1Out___half_float_true_false_16_4_false", 52,
		1 + V_CONV_SLIC},
	[V_CONV_SLIC] = {"poplin__ConvPartial1x4SLIC___half_float_4_16_4", 48, 0},
	[V_REDUCE] = {"popops__Reduce___popops__ReduceAdd_float_float_false_1", 24,
		1 + V_REDUCE_FINAL},
	[V_REDUCE_FINAL] = {"popops__ContinuousReduce___popops__ReduceAdd_float_half_false", 20, 0},
	[V_COPY] = {"poplar_rt__LongCopy2", 12, 0},
	[V_TRANSPOSE] = {"poplin__Transpose2DMultipleVertices___half", 24, 0},
	[V_CAST] = {"popops__Cast1DSingleWorker___float_half", 16, 0},
	[V_BINARY] = {"popops__BinaryOp1DInPlaceSupervisor___expr__BinaryOpType__MULTIPLY_half", 20,
		0},
	[V_UNARY] = {"popops__UnaryOp1DInPlaceSupervisor___expr__UnaryOpType__EXPONENT_half", 16,
		0},
	[V_GELU] = {"popnn__NonLinearity1DInPlace___half_popnn__NonLinearityType__GELU", 16, 0},
	[V_NORM] = {"popnn__VarianceToInvStdDev1D___half", 20, 0},
	[V_DROPOUT] = {"poprand__BernoulliSupervisor___half", 28, 0},
	[V_SLICE] = {"popops__MultiSlice___half", 36, 0},
	[V_ADAM] = {"popops__AdamUpdateWeights___half_float", 60, 0},
};

/* ---- shapes ---- */

const struct demo_leaf demo_leaves[DEMO_KINDS][DEMO_LEAVES] =
	{
		[DEMO_MATMUL_OP] =
			{
				{"OnTileCopyPre", 900, 2700, 1000, V_COPY, 0},
				{"Convolve", 7600, 2300, 980, V_CONV, 0},
				{"Reduce/ReduceOnTile", 2000, 1800, 870, V_REDUCE, 0},
				{"Transpose", 1300, 600, 740, V_TRANSPOSE, 1},
				{"OnTileCopyPost/Cast", 1200, 300, 930, V_CAST, 1},
			},
		[DEMO_NORM_OP] =
			{
				{"stats/mean/Reduce", 1500, 600, 1000, V_REDUCE, 0},
				{"stats/VarianceToInvStdDev", 700, 300, 500, V_NORM, 0},
				{"scale/Op/Multiply", 1900, 250, 1000, V_BINARY, 0},
				{"bias/Op/Add", 1600, 250, 1000, V_BINARY, 1},
			},
		[DEMO_SOFTMAX_OP] =
			{
				{"max/Reduce", 1700, 450, 1000, V_REDUCE, 1},
				{"exp/Op/Exp", 3400, 350, 1000, V_UNARY, 0},
				{"sum/Reduce", 1500, 700, 1000, V_REDUCE_FINAL, 0},
				{"div/Op/Divide", 1800, 300, 1000, V_BINARY, 0},
			},
		[DEMO_DROPOUT_OP] =
			{
				{"mask/bernoulli", 1800, 200, 1000, V_DROPOUT, 1},
				{"Op/Multiply", 1300, 200, 1000, V_BINARY, 0},
			},
		[DEMO_GELU_OP] = {{"Nonlinearity", 4200, 300, 1000, V_GELU, 0}},
		[DEMO_ADD_OP] = {{"Op/Add", 1400, 500, 960, V_BINARY, 0}},
		[DEMO_GATHER_OP] =
			{
				{"multiSlice", 2600, 3800, 350, V_SLICE, 0},
				{"Op/Add", 900, 500, 900, V_BINARY, 0},
			},
		[DEMO_LOSS_OP] =
			{
				{"LogSoftmax/Reduce", 2200, 900, 1000, V_REDUCE_FINAL, 0},
				{"Nll/multiSlice", 900, 700, 40, V_SLICE, 0},
				{"Op/Subtract", 1500, 300, 1000, V_BINARY, 0},
			},
		[DEMO_UPDATE_OP] =
			{
				{"Reduce/ReduceFinalStage", 1900, 1600, 1000, V_REDUCE_FINAL, 0},
				{"adamUpdateWeights", 5200, 900, 1000, V_ADAM, 0},
				{"copyWeights/Cast", 1200, 300, 1000, V_CAST, 1},
			},
};

const struct demo_op demo_embedding_ops[DEMO_EMBEDDING_OPS] = {
	{"word_embeddings/Gather", DEMO_GATHER_OP, false, true, 60},
	{"position_embeddings/Gather", DEMO_GATHER_OP, false, true, 20},
	{"LayerNorm", DEMO_NORM_OP, true, true, 16},
	{"dropout", DEMO_DROPOUT_OP, true, false, 12},
};

const struct demo_op demo_layer_ops[DEMO_LAYER_OPS] = {
	{"attention/self/query/matMul", DEMO_MATMUL_OP, false, true, 16},
	{"attention/self/key/matMul", DEMO_MATMUL_OP, false, true, 16},
	{"attention/self/value/matMul", DEMO_MATMUL_OP, false, true, 16},
	{"attention/self/matMul", DEMO_MATMUL_OP, false, false, 22},
	{"attention/self/softmax", DEMO_SOFTMAX_OP, true, false, 24},
	{"attention/self/dropout", DEMO_DROPOUT_OP, true, false, 20},
	{"attention/self/context/matMul", DEMO_MATMUL_OP, false, false, 18},
	{"attention/output/dense/matMul", DEMO_MATMUL_OP, false, true, 16},
	{"attention/output/LayerNorm", DEMO_NORM_OP, true, true, 12},
	{"intermediate/dense/matMul", DEMO_MATMUL_OP, false, true, 26},
	{"intermediate/gelu", DEMO_GELU_OP, true, false, 22},
	{"output/dense/matMul", DEMO_MATMUL_OP, false, true, 24},
	{"output/dropout", DEMO_DROPOUT_OP, true, false, 12},
	{"output/LayerNorm", DEMO_NORM_OP, true, true, 12},
	{"output/add", DEMO_ADD_OP, false, false, 10},
};

const struct demo_op demo_head_ops[DEMO_HEAD_OPS] = {
	{"transform/dense/matMul", DEMO_MATMUL_OP, false, true, 20},
	{"transform/LayerNorm", DEMO_NORM_OP, true, true, 12},
	{"decoder/matMul", DEMO_MATMUL_OP, false, false, 90},
	{"loss", DEMO_LOSS_OP, false, false, 110},
};

const struct demo_op demo_update_ops[DEMO_UPDATE_OPS] = {
	{"update", DEMO_UPDATE_OP, false, false, 180}};

const struct demo_shape demo_shapes[TS_DEMO_SCALE_COUNT] = {
	[TS_DEMO_SMALL] = {.layers = 4,
		.convs = 1,
		.detail = 0,
		.unlowered = 5000,
		.blob_bytes = 120000,
		.cycle_bytes = 16000000},
	[TS_DEMO_BERT] = {.layers = 24,
		.convs = 3,
		.detail = 2,
		.unlowered = 300000,
		.blob_bytes = 4000000,
		.cycle_bytes = 700000000},
	[TS_DEMO_HUGE] = {.layers = 48,
		.convs = 5,
		.detail = 2,
		.unlowered = 600000,
		.blob_bytes = 8000000,
		.cycle_bytes = 8000000},
};
