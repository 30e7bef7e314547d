<?php

// Whether a delivery is genuine.
// $timestamp: $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? ''; $signature: $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
// $rawBody: file_get_contents('php://input'), the bytes as they came.
function is_genuine(string $secret, string $timestamp, string $signature, string $rawBody): bool
{
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    return hash_equals('v1=' . hash_hmac('sha256', "$timestamp.$rawBody", $secret), $signature);
}
