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

// func dotRowsAVX2(rows *int8, n, blocks int, y *int16, out *int32)
//
// A row is blocks times 16 numbers, at least one block: the bytes are widened to words, multiplied in pairs with those of
// y, and the sums of pairs added up in Y0 to Y3, which are added at the end of the row.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ rows+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ out+32(FP), R8
	TESTQ CX, CX
	JZ   end

row:
	MOVQ  blocks+16(FP), DX
	MOVQ  y+24(FP), DI
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	SUBQ  $4, DX
	JLT   rest

four:
	VPMOVSXBW (SI), Y4
	VPMOVSXBW 16(SI), Y5
	VPMOVSXBW 32(SI), Y6
	VPMOVSXBW 48(SI), Y7
	VPMADDWD  (DI), Y4, Y4
	VPMADDWD  32(DI), Y5, Y5
	VPMADDWD  64(DI), Y6, Y6
	VPMADDWD  96(DI), Y7, Y7
	VPADDD    Y4, Y0, Y0
	VPADDD    Y5, Y1, Y1
	VPADDD    Y6, Y2, Y2
	VPADDD    Y7, Y3, Y3
	ADDQ      $64, SI
	ADDQ      $128, DI
	SUBQ      $4, DX
	JGE       four

rest:
	ADDQ $4, DX
	JZ   add

one:
	VPMOVSXBW (SI), Y4
	VPMADDWD  (DI), Y4, Y4
	VPADDD    Y4, Y0, Y0
	ADDQ      $16, SI
	ADDQ      $32, DI
	DECQ      DX
	JNZ       one

add:
	VPADDD       Y1, Y0, Y0
	VPADDD       Y3, Y2, Y2
	VPADDD       Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (R8)
	ADDQ         $4, R8
	DECQ         CX
	JNZ          row
	VZEROUPPER

end:
	RET
