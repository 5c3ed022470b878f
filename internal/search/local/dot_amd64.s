//go:build !purego

#include "textflag.h"

// func dotInts(q []int8, y []int16) int32
//
// 16 numbers a turn: the bytes are widened to words (each doubled into a word's two halves, then shifted down with its
// sign), multiplied in pairs with those of y, and the sums of pairs added up in X4 and X5.
TEXT ·dotInts(SB), NOSPLIT, $0-52
	MOVQ q_base+0(FP), SI
	MOVQ q_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	PXOR X4, X4
	PXOR X5, X5
	SHRQ $4, CX
	JZ   done

loop:
	MOVOU (SI), X0
	MOVOU (DI), X2
	MOVOU 16(DI), X3
	MOVO  X0, X1
	PUNPCKLBW X0, X0
	PUNPCKHBW X1, X1
	PSRAW $8, X0
	PSRAW $8, X1
	PMADDWL X2, X0
	PMADDWL X3, X1
	PADDL X0, X4
	PADDL X1, X5
	ADDQ  $16, SI
	ADDQ  $32, DI
	DECQ  CX
	JNZ   loop

done:
	PADDL  X5, X4
	PSHUFL $0x4e, X4, X0
	PADDL  X0, X4
	PSHUFL $0xb1, X4, X0
	PADDL  X0, X4
	MOVL   X4, ret+48(FP)
	RET
